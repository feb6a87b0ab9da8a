import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits, protocols } from '../limits.ts';
import { wireguardKey } from '../public/configs.ts';
import { done, id } from '../shapes.ts';

/**
 * All that a node may hear or say. The node dials out; nobody connects to it. It knows its own keys, and of its configs
 * an opaque id, public key, inner addresses and a byte limit: no user, no wallet, no other node.
 *
 * Authentication of every call but `enrol` (private_key_jwt in the manner of RFC 7523, bound to the request as in
 * RFC 9449): `Authorization: Bearer <JWT>`, alg EdDSA, signed with the Ed25519 key given at enrolment;
 * claims `iss` = `sub` = node id, `aud` = NODE_AUDIENCE, `iat`, `exp` (at most 60 s later), `gen` = registration
 * generation, `htm` = method, `htu` = path without query, `bh` = base64url SHA-256 of the body bytes ('' for none).
 * A node whose clock is wrong learns the offset from the `Date` header of the refusal.
 */
export const NODE_BASE = '/node/v1';
export const NODE_AUDIENCE = 'raha-node';
export const NODE_TOKEN_SECONDS = 60;

/** Byte counts travel as JSON integers below 2⁵³ (9 petabytes). */
const byteCount = z.int().check(z.nonnegative());
/** 128 random bits in hex, minted by the agent whenever counter continuity may be lost. */
const epochId = z.string().check(z.regex(/^[0-9a-f]{32}$/));

/**
 * How far a config may go: the node passes at most `limitBytes` of the config's bytes counted since the epoch began.
 * Absolute, so repeating it is harmless. A lease of another epoch than the node's current one is ignored; a lower
 * `version` than the one in force is ignored.
 */
export const lease = z.object({ epoch: epochId, version: z.int().check(z.nonnegative()), limitBytes: byteCount });
export type Lease = z.output<typeof lease>;

const place = {
  /** Config id; opaque to the node. */
  id,
  /** Inner addresses, without a prefix length. Fixed for a config; the last 16 bits of both are its slot on the node. */
  address4: z.string(),
  address6: z.string(),
  /** True: pass nothing, whatever the lease says (disconnected from the panel). */
  blocked: z.boolean(),
  /** True: names on the node's block list are not answered for this config. Absent: they are. */
  screened: z.optional(z.boolean()),
  /** Null: no byte may pass until a lease comes. */
  lease: z.nullable(lease),
};

/** A config as its node has to serve it: where it is, how far it may go, and how its device proves itself. */
export const peer = z.discriminatedUnion('protocol', [
  z.object({ protocol: z.literal('wireguard'), publicKey: wireguardKey, presharedKey: z.string(), ...place }),
  z.object({
    protocol: z.literal('openvpn'),
    /** Of the one certificate that may come in as this config; it becomes a file's name. */
    commonName: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
    ...place,
  }),
  z.object({
    protocol: z.literal('ikev2'),
    /** By which the device says who it is. */
    userName: z.string().check(z.regex(/^[0-9a-z]{8,40}$/)),
    /** MD4 of its secret in UTF-16 (RFC 2759 section 8.3): enough to check the secret, which the node never hears. */
    ntHash: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
    ...place,
  }),
]);
export type Peer = z.output<typeof peer>;

/** What the tunnels of a node look like; decided by the control plane. */
export const nodeSettings = z.object({
  wireguard: z.object({
    listenPort: z.int(),
    /** The node's own inner addresses with prefix length: `10.64.0.1/16`, `fd7a:…::1/64`. */
    address4: z.string(),
    address6: z.string(),
    mtu: z.int(),
  }),
  /** Absent until the node has asked for its certificate. */
  openvpn: z.optional(
    z.object({
      port: z.int(),
      address4: z.string(),
      address6: z.string(),
      /** Name servers that devices are told to ask. */
      resolvers: z.array(z.string()),
      /** The node's own authority, whose key the node never has; its certificate for the key it sent. PEM. */
      authority: z.string(),
      certificate: z.string(),
      /** The tls-crypt-v2 server key, as a file of OpenVPN. */
      tlsCryptKey: z.string(),
    }),
  ),
  /** Absent until the node has asked for its certificate. */
  ikev2: z.optional(
    z.object({
      address4: z.string(),
      address6: z.string(),
      resolvers: z.array(z.string()),
      /** The name in the certificate by which the node speaks of itself. */
      serverName: z.string(),
      authority: z.string(),
      certificate: z.string(),
    }),
  ),
  /** The agent that is wanted: of its one file, which the control plane serves. Absent: whichever the node has. */
  agent: z.optional(z.object({ sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) })),
  /** For configs whose lease has ended and that no more is to be had for. */
  cutOff: z.optional(
    z.object({
      /** The panel's page for topping up, to which the page that they see leads. */
      topUpUrl: z.string(),
      /** What they reach all the same, `host:port`; the node finds the addresses. */
      reachable: z.array(z.string()).check(z.maxLength(limits.node.maxReachable)),
    }),
  ),
  samplePeriodMs: z.int(),
  reportPeriodMs: z.int(),
});
export type NodeSettings = z.output<typeof nodeSettings>;

export const desiredState = z.discriminatedUnion('kind', [
  /** Nothing changed during the long poll. */
  z.object({ kind: z.literal('unchanged'), generation: z.int() }),
  /** What changed after the generation asked for: changed or new peers whole, and ids to remove. */
  z.object({
    kind: z.literal('delta'),
    generation: z.int(),
    settings: nodeSettings,
    peers: z.array(peer),
    removed: z.array(id),
  }),
  /** The whole wanted state, after a gap or for a node that starts from nothing. */
  z.object({
    kind: z.literal('snapshot'),
    generation: z.int(),
    settings: nodeSettings,
    peers: z.array(peer),
    /** Removed configs whose last reading has not come: a node that never knew them says so with a final reading of zero. */
    removed: z.array(id),
  }),
]);
export type DesiredState = z.output<typeof desiredState>;

/** One config's reading: cumulative since the epoch began, inner IP bytes that passed, per direction. */
export const sample = z.object({
  config: id,
  /** From the device to the internet. */
  up: byteCount,
  /** From the internet to the device. */
  down: byteCount,
  /** Version of the lease in force at this reading (0: none). Confirms a lowered limit. */
  leaseVersion: z.int().check(z.nonnegative()),
  /** The config is removed from the node and this is its last reading. */
  final: z.optional(z.boolean()),
});
export type Sample = z.output<typeof sample>;

/** Signs of life of a tunnel. No client address, ever. */
export const tunnelSign = z.object({
  config: id,
  /**
   * Seconds since the device was last heard of, at the time of the report: since its last handshake (WireGuard), since
   * its last packet (protocols with sessions).
   */
  handshakeAgeSeconds: z.int().check(z.nonnegative()),
  /** The device has left, says the daemon; only protocols with sessions know. */
  left: z.optional(z.boolean()),
  /** Milliseconds from node to device; null when it does not answer. */
  pingMs: z.nullable(z.number()),
});
export type TunnelSign = z.output<typeof tunnelSign>;

export const usageReport = z.object({
  epoch: epochId,
  /** Rises by one per report within an epoch, from 1. The same report is sent again, unchanged, until acknowledged. */
  seq: z.int().check(z.gte(1)),
  /** True: a closed epoch's last words, sent from the spool before the current epoch speaks. */
  closing: z.optional(z.boolean()),
  /** Milliseconds between the reading and the sending, by the node's monotonic clock; orders nothing, shows freshness. */
  ageMs: z.int().check(z.nonnegative()),
  samples: z.array(sample).check(z.maxLength(limits.node.maxSamplesPerReport)),
  /** Only configs whose tunnel is alive (handshake younger than 180 s), and those that have just ceased to be. */
  signs: z.array(tunnelSign).check(z.maxLength(limits.node.maxSamplesPerReport)),
  /**
   * How many of a config's questions for names the block list has kept unanswered since the last report that told of it.
   * A number; never which names.
   */
  withheld: z.optional(
    z.array(z.object({ config: id, count: byteCount })).check(z.maxLength(limits.node.maxSamplesPerReport)),
  ),
  health: z.object({
    /** 0..1, the fullest of CPU and uplink. */
    load: z.number().check(z.gte(0), z.lte(1)),
    tunnelsUp: z.boolean(),
    /** What the node serves at this moment; absent in reports that tell of an epoch that is over. */
    protocols: z.optional(z.array(z.enum(protocols)).check(z.maxLength(protocols.length))),
    /** Upper bound of bytes that may have passed unmetered since the last report of a lost epoch. */
    unmeteredUpperBoundBytes: byteCount,
    /** How far the control plane's clock is ahead of the node's, by the `Date` of its last answer; a second is noise. */
    clockOffsetMs: z.optional(z.int()),
    /** Of the disk that the agent's own state is on. */
    disk: z.optional(z.object({ freeBytes: byteCount, totalBytes: byteCount })),
    agentVersion: z.string().check(z.maxLength(40)),
    /** Names on the node's block list; 0: it has none, or answers no questions for names itself. */
    blockedNames: z.optional(byteCount),
  }),
});
export type UsageReport = z.output<typeof usageReport>;

export const usageReply = z.object({
  ackSeq: z.int(),
  /**
   * `continue`; or `mint-epoch`: another report with this sequence number was accepted before (snapshot rollback, cloned
   * machine). The agent starts a new epoch from its present counters; what it counted since its last acknowledged
   * report is not billed.
   */
  epoch: z.enum(['continue', 'mint-epoch']),
  /** Fresh leases for configs in the report, ahead of the desired state. */
  leases: z.array(
    z.object({ config: id, lease, /** No more is to be had; the desired state will say when. */ last: z.boolean() }),
  ),
});
export type UsageReply = z.output<typeof usageReply>;

export const nodeEndpoints = {
  enrol: defineEndpoint({
    method: 'POST',
    path: '/enrol',
    caller: 'public',
    summary: 'Exchange a single-use token for a registration; gives the node its id',
    body: z.strictObject({
      token: z.string().check(z.maxLength(200)),
      /** Ed25519 public key, base64url of its 32 bytes (JWK `x`). */
      publicKey: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
      wireguardPublicKey: wireguardKey,
      agentVersion: z.string().check(z.maxLength(40)),
    }),
    response: z.object({ success: z.literal(true), nodeId: id, generation: z.int(), settings: nodeSettings }),
  }),
  /** Asked at every start and twice a day; what comes of it is in the wanted state. Repeating it changes nothing. */
  certify: defineEndpoint({
    method: 'POST',
    path: '/certificates',
    caller: 'node',
    summary: "Have the node's own key for a protocol certified, or its certificate renewed when it is about to end",
    body: z.strictObject({
      protocol: z.enum(['openvpn', 'ikev2']),
      /** SubjectPublicKeyInfo in base64: ECDSA P-256 for OpenVPN, RSA of 3072 or 4096 bits for IKEv2. */
      publicKey: z.string().check(z.maxLength(800), z.regex(/^[A-Za-z0-9+/]+=*$/)),
    }),
    response: done,
  }),
  /**
   * Long poll. `after` is the generation the node has **applied** (0 for a node that has nothing): asking is the
   * acknowledgement. `epoch` is the node's current epoch, so that leases are written for it.
   */
  getDesiredState: defineEndpoint({
    method: 'GET',
    path: '/desired-state',
    caller: 'node',
    summary: 'Wait for changes of the wanted state after an applied generation',
    query: z.object({
      after: z.coerce.number().check(z.int(), z.gte(0)),
      epoch: epochId,
      /** Seconds to wait when nothing changed; 0 answers at once. */
      wait: z._default(
        z.coerce.number().check(z.int(), z.gte(0), z.lte(limits.node.longPollSeconds)),
        limits.node.longPollSeconds,
      ),
    }),
    response: desiredState,
  }),
  reportUsage: defineEndpoint({
    method: 'POST',
    path: '/usage-reports',
    caller: 'node',
    summary: 'Report cumulative usage; answers with the acknowledgement and fresh leases',
    body: usageReport,
    response: usageReply,
  }),
};
