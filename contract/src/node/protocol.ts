import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { protocols, transports } from '../protocols.ts';
import { proxyId } from '../proxy-id.ts';
import { wireguardKey } from '../public/configs.ts';
import { autonomousSystem, done, id } from '../shapes.ts';
import { openvpnSettings, proxyStates } from './openvpn-settings.ts';
import { releaseRefusals } from './release.ts';
import { traceAnswer, traceQuestion } from './trace.ts';
import { NODE_PROTOCOL_VERSION } from './versions.ts';

/**
 * Everything that a node agent and the control plane exchange. The node dials out; nobody connects to it. It knows its
 * own keys and, for each of its configs, an opaque id, a credential, inner addresses and a byte limit: no user, no
 * wallet, no other node. Which versions are served, and for how long, is in `versions.ts`.
 *
 * Authentication of every call but `enrol` (private_key_jwt in the manner of RFC 7523, bound to the request as in
 * RFC 9449): `Authorization: Bearer <JWT>`, alg EdDSA, signed with the Ed25519 key given at enrolment;
 * claims `iss` = `sub` = node id, `aud` = NODE_AUDIENCE, `iat`, `exp` (at most 60 s later), `gen` = registration
 * generation, `htm` = method, `htu` = path with its query, `bh` = base64url SHA-256 of the body bytes ('' for none).
 * A node whose clock is wrong learns the offset from the `Date` header of the refusal.
 */
export const NODE_BASE = `/node/v${NODE_PROTOCOL_VERSION}`;
export const NODE_AUDIENCE = 'raha-node';
export const NODE_TOKEN_SECONDS = 60;

/** Byte counts travel as JSON integers below 2⁵³ (9 petabytes). */
const byteCount = z.int().check(z.nonnegative());
/** Counts up from 1 by one per change; the largest number that PostgreSQL's `integer` keeps bounds it. */
const leaseVersion = z.int().check(z.nonnegative(), z.lte(2_147_483_647));
/** Printable ASCII: a database cannot keep every character, and nothing else stands in a version. */
const agentVersion = z.string().check(z.maxLength(40), z.regex(/^[ -~]*$/));
/** 128 random bits in hex, made by the agent whenever the counters may have lost continuity. */
const epochId = z.string().check(z.regex(/^[0-9a-f]{32}$/));

/**
 * How much traffic a config may use: the node passes at most `limitBytes` of its bytes, counted since the epoch began.
 * The limit is absolute, so repeating it is harmless. The node ignores a lease of another epoch than its current one, and
 * a lower `version` than the one in force.
 */
export const lease = z.object({
  epoch: epochId,
  version: leaseVersion,
  limitBytes: byteCount,
  /** The greatest speed at which these bytes pass, in each direction. Absent: the node holds nothing back. */
  maxMbit: z.optional(z.int().check(z.gte(1), z.lte(limits.node.maxMbit))),
});
export type Lease = z.output<typeof lease>;

export const wireguardBackends = ['kernel', 'userspace'] as const;
export type WireguardBackendName = (typeof wireguardBackends)[number];

const slotFields = {
  /** Config id; opaque to the node. */
  id,
  /** Inner addresses, without a prefix length. Fixed for a config; the last 16 bits of both are its slot on the node. */
  address4: z.string(),
  address6: z.string(),
  /** True: pass nothing, whatever the lease says (disconnected from the panel). */
  blocked: z.boolean(),
  /** True: the node's resolver does not answer this config's DNS queries for names on its block list. Absent: it does. */
  dnsFiltering: z.optional(z.boolean()),
  /** Null: no byte may pass until a lease arrives. */
  lease: z.nullable(lease),
};

/** A config as its node must serve it: its addresses, its lease, and the credential of its device. */
export const peer = z.discriminatedUnion('protocol', [
  z.object({ protocol: z.literal('wireguard'), publicKey: wireguardKey, presharedKey: z.string(), ...slotFields }),
  z.object({
    protocol: z.literal('openvpn'),
    /** Common name of the only certificate that may connect as this config. The agent uses it as a file name. */
    commonName: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
    /** What lets its device in at the proxy. Absent: the node is not to serve that. */
    proxyId: z.optional(proxyId),
    ...slotFields,
  }),
  z.object({
    protocol: z.literal('ikev2'),
    /** EAP identity of the device. */
    userName: z.string().check(z.regex(/^[0-9a-z]{8,40}$/)),
    /** MD4 of its secret in UTF-16 (RFC 2759 section 8.3): enough to check the secret, which the node never learns. */
    ntHash: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
    ...slotFields,
  }),
]);
export type Peer = z.output<typeof peer>;

const listVersion = z.string().check(z.regex(/^[0-9a-f]{16}$/));

/** Networks of operators whose devices a node counts, and the addresses of each as `first-last`. */
export const reachNetworks = z.object({
  list: listVersion,
  networks: z
    .array(
      z.object({
        /** Number of the autonomous system (RFC 6793). */
        network: autonomousSystem,
        ranges: z
          .array(z.string().check(z.regex(/^[0-9a-f.:]{2,39}-[0-9a-f.:]{2,39}$/)))
          .check(z.maxLength(limits.reach.maxRanges)),
      }),
    )
    .check(z.maxLength(limits.reach.maxNetworks)),
});
export type ReachNetworks = z.output<typeof reachNetworks>;

/**
 * How often devices of one network tried one way to the node, and how often it worked, since the last report that counted them;
 * multiples of `limits.reach.step`. No address, no config, no time.
 */
export const reachCount = z.object({
  network: autonomousSystem,
  transport: z.enum(transports),
  /** Which of `morePorts`; absent: the protocol's own. */
  port: z.optional(z.int().check(z.gte(1), z.lte(65_535))),
  attempts: z.int().check(z.nonnegative(), z.lte(limits.reach.maxPerReport)),
  through: z.int().check(z.nonnegative(), z.lte(limits.reach.maxPerReport)),
});
export type ReachCount = z.output<typeof reachCount>;

/** The same by relay, of which a node sees the relay's address only: no operator is known, and ports are added up. */
export const relayReachCount = z.object({
  relay: id,
  transport: z.enum(transports),
  attempts: z.int().check(z.nonnegative(), z.lte(limits.reach.maxPerReport)),
  through: z.int().check(z.nonnegative(), z.lte(limits.reach.maxPerReport)),
});
export type RelayReachCount = z.output<typeof relayReachCount>;

/** Whether what the node sent to itself through a relay came back, at one of the relay's addresses. */
export const relayHealth = z.object({
  relay: id,
  family: z.literal([4, 6]),
  /** From the node through the relay to the node, and back the same way; null: it did not come back. */
  roundTripMs: z.nullable(z.number().check(z.gte(0), z.lte(limits.relay.probeWaitMs))),
});
export type RelayHealth = z.output<typeof relayHealth>;

/** Settings of a node, decided by the control plane. */
export const nodeSettings = z.object({
  wireguard: z.object({
    listenPort: z.int(),
    /** UDP ports at which the node accepts WireGuard as well, for devices whose network blocks the other. Absent: none. */
    morePorts: z.optional(z.array(z.int()).check(z.maxLength(limits.node.maxWireguardPorts))),
    /** The node's own inner addresses with prefix length: `10.64.0.1/16`, `fd7a:…::1/64`. */
    address4: z.string(),
    address6: z.string(),
    mtu: z.int(),
  }),
  /** Absent until the node has requested its certificate. */
  openvpn: z.optional(openvpnSettings),
  /** Absent until the node has requested its certificate. */
  ikev2: z.optional(
    z.object({
      address4: z.string(),
      address6: z.string(),
      resolvers: z.array(z.string()),
      /** The name in the node's certificate, which is also its IKE identity. */
      serverName: z.string(),
      certificateAuthority: z.string(),
      certificate: z.string(),
    }),
  ),
  /** The agent version to run, as the hash of the single file that the control plane serves. Absent: keep the present one. */
  agent: z.optional(z.object({ sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)) })),
  /** What configs see whose lease is used up and whose refill was denied. */
  captivePortal: z.optional(
    z.object({
      /** The panel's top-up page, to which the captive portal links. */
      topUpUrl: z.string(),
      /** Hosts that stay reachable, as `host:port`; the node resolves the names. */
      walledGarden: z.array(z.string()).check(z.maxLength(limits.node.maxWalledGardenHosts)),
    }),
  ),
  /** How devices get through is counted by the networks of this list, which `getNetworks` returns. Absent: it is not counted. */
  reach: z.optional(z.object({ list: listVersion, periodMs: z.int().check(z.gte(100)) })),
  /** Machines that forward to this node: it tries them every `periodMs` through this UDP port of its own. Absent: there are none. */
  relays: z.optional(
    z.object({
      probePort: z.int().check(z.gte(1), z.lte(65_535)),
      periodMs: z.int().check(z.gte(100)),
      relays: z
        .array(z.object({ id, address4: z.nullable(z.ipv4()), address6: z.nullable(z.ipv6()) }))
        .check(z.maxLength(limits.relay.perNode)),
    }),
  ),
  samplePeriodMs: z.int(),
  reportPeriodMs: z.int(),
});
export type NodeSettings = z.output<typeof nodeSettings>;

export const desiredState = z.discriminatedUnion('kind', [
  /** Nothing changed during the long poll; there may be a question to the node. */
  z.object({ kind: z.literal('unchanged'), generation: z.int(), trace: z.optional(traceQuestion) }),
  /** Changes since the requested generation: changed or new peers, complete, and ids to remove. */
  z.object({
    kind: z.literal('delta'),
    generation: z.int(),
    settings: nodeSettings,
    peers: z.array(peer),
    removed: z.array(id),
  }),
  /** The complete desired state, after a gap or for a node without state. */
  z.object({
    kind: z.literal('snapshot'),
    generation: z.int(),
    settings: nodeSettings,
    peers: z.array(peer),
    /** Removed configs whose final reading is missing. A node that never had them reports a final reading of zero. */
    removed: z.array(id),
  }),
]);
export type DesiredState = z.output<typeof desiredState>;

/** One config's reading: inner IP bytes that passed since the epoch began, per direction. */
export const sample = z.object({
  config: id,
  /** From the device to the internet. */
  up: byteCount,
  /** From the internet to the device. */
  down: byteCount,
  /** Version of the lease in force at this reading (0: none). This confirms a lowered limit. */
  leaseVersion,
  /** The config has been removed from the node and this is its last reading. */
  final: z.optional(z.boolean()),
});
export type Sample = z.output<typeof sample>;

/** Status of one tunnel. It never contains a client address. */
export const tunnelStatus = z.object({
  config: id,
  /**
   * Seconds since the device was last seen, at the time of the report: since its last handshake (WireGuard) or its last
   * packet (protocols with sessions).
   */
  handshakeAgeSeconds: z.int().check(z.nonnegative()),
  /** The daemon reports that the device has disconnected; only protocols with sessions can tell. */
  disconnected: z.optional(z.boolean()),
  /** Round trip from node to device in milliseconds; null when the device does not answer. */
  pingMs: z.nullable(z.number().check(z.gte(0), z.lte(86_400_000))),
});
export type TunnelStatus = z.output<typeof tunnelStatus>;

export const usageReport = z.object({
  epoch: epochId,
  /** Rises by one per report within an epoch, from 1. The same report is sent again, unchanged, until acknowledged. */
  seq: z.int().check(z.gte(1)),
  /** True: the last report of a closed epoch, sent from the spool before any report of the current epoch. */
  closing: z.optional(z.boolean()),
  /** Milliseconds between reading and sending, by the node's monotonic clock. It shows freshness and is not used for ordering. */
  ageMs: z.int().check(z.nonnegative()),
  samples: z.array(sample).check(z.maxLength(limits.node.maxSamplesPerReport)),
  /** Only configs whose tunnel is live (handshake younger than 180 s), and those whose tunnel has just ceased to be. */
  tunnels: z.array(tunnelStatus).check(z.maxLength(limits.node.maxSamplesPerReport)),
  /** How many DNS queries of a config were blocked since the last report that counted them. Only a number, never the names. */
  blockedQueries: z.optional(
    z.array(z.object({ config: id, count: byteCount })).check(z.maxLength(limits.node.maxSamplesPerReport)),
  ),
  reach: z.optional(z.array(reachCount).check(z.maxLength(limits.reach.maxCounts))),
  /** Of what came by its relays; absent in agents of before decision 132. */
  relayReach: z.optional(z.array(relayReachCount).check(z.maxLength(limits.relay.perNode * transports.length))),
  /** What trying the relays has shown since the last report. */
  relays: z.optional(z.array(relayHealth).check(z.maxLength(2 * limits.relay.perNode))),
  health: z.object({
    /** 0..1: the busier of CPU and uplink. */
    load: z.number().check(z.gte(0), z.lte(1)),
    tunnelsUp: z.boolean(),
    /** Protocols that the node serves at this moment; absent in the closing report of an epoch. */
    protocols: z.optional(z.array(z.enum(protocols)).check(z.maxLength(protocols.length))),
    /** Upper bound of the bytes that may have passed unmetered after the last report of a lost epoch. */
    unmeteredUpperBoundBytes: byteCount,
    /** How far the control plane's clock is ahead of the node's, by the `Date` of its last answer; accurate to a second. */
    clockOffsetMs: z.optional(z.int()),
    /** Of the disk that holds the agent's state. */
    disk: z.optional(z.object({ freeBytes: byteCount, totalBytes: byteCount })),
    agentVersion,
    /** Number of names on the node's block list; 0: it has none, or runs no resolver. */
    blockedNames: z.optional(byteCount),
    /** Where WireGuard runs: in the machine's kernel, or as a program (wireguard-go), which carries less. */
    wireguardBackend: z.optional(z.enum(wireguardBackends)),
    /** Those of `morePorts` that the node accepts now: all but what other programs of the machine use. */
    wireguardPorts: z.optional(
      z.array(z.int().check(z.gte(1), z.lte(65_535))).check(z.maxLength(limits.node.maxWireguardPorts)),
    ),
    /** Whether it serves OpenVPN over TCP as well. */
    openvpnTcp: z.optional(z.boolean()),
    /** Whether it serves OpenConnect as well. */
    openconnect: z.optional(z.boolean()),
    /** Absent: it is not to serve the proxy, or its agent is of before that. */
    proxy: z.optional(z.enum(proxyStates)),
    /** Why the agent did not install the release that it was offered last. Absent: it did, or none was offered. */
    releaseRefusal: z.optional(z.enum(releaseRefusals)),
  }),
});
export type UsageReport = z.output<typeof usageReport>;

export const usageReply = z.object({
  ackSeq: z.int(),
  /**
   * `mint-epoch`: another report with this sequence number was accepted before (snapshot rollback, cloned machine). The
   * agent starts a new epoch from its present counters; bytes counted since its last acknowledged report are not billed.
   */
  epoch: z.enum(['continue', 'mint-epoch']),
  /** New leases for configs in the report, ahead of the desired state. */
  leases: z.array(
    z.object({
      config: id,
      lease,
      /** Nothing more can be granted now. The agent stops asking; the desired state brings the next lease. */
      refillDenied: z.boolean(),
    }),
  ),
  /** Configs of the report whose connection somebody is looking at: the node measures their round trips often, others rarely. */
  watched: z.optional(z.array(id).check(z.maxLength(limits.node.maxSamplesPerReport))),
});
export type UsageReply = z.output<typeof usageReply>;

export const nodeEndpoints = {
  enrol: defineEndpoint({
    method: 'POST',
    path: '/enrol',
    caller: 'public',
    summary: 'Exchange a single-use token for a registration; returns the node id',
    body: z.strictObject({
      token: z.string().check(z.maxLength(200)),
      /** Ed25519 public key, base64url of its 32 bytes (JWK `x`). */
      publicKey: z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/)),
      wireguardPublicKey: wireguardKey,
      agentVersion,
    }),
    response: z.object({ success: z.literal(true), nodeId: id, generation: z.int(), settings: nodeSettings }),
  }),
  /** Called at every start and twice a day; the certificate arrives with the desired state. Repeating the call changes nothing. */
  certify: defineEndpoint({
    method: 'POST',
    path: '/certificates',
    caller: 'node',
    summary: "Certify the node's own key for a protocol, or renew a certificate that is about to expire",
    body: z.strictObject({
      protocol: z.enum(['openvpn', 'ikev2']),
      /** SubjectPublicKeyInfo in base64: ECDSA P-256 for OpenVPN, RSA of 3072 or 4096 bits for IKEv2. */
      publicKey: z.string().check(z.maxLength(800), z.regex(/^[A-Za-z0-9+/]+=*$/)),
    }),
    response: done,
  }),
  /**
   * Long poll. `after` is the generation that the node has **applied** (0: none), so the request is the acknowledgement.
   * Leases are written for `epoch`, the node's current epoch.
   */
  getDesiredState: defineEndpoint({
    method: 'GET',
    path: '/desired-state',
    caller: 'node',
    summary: 'Wait for changes of the desired state after an applied generation',
    query: z.object({
      after: z.coerce.number().check(z.int(), z.gte(0)),
      epoch: epochId,
      /** The node answers traces. Absent: its agent is of before them, and gets none. */
      traces: z.optional(z.literal('1')),
      /** Seconds to wait when nothing has changed; 0: answer at once. */
      wait: z._default(
        z.coerce.number().check(z.int(), z.gte(0), z.lte(limits.node.longPollSeconds)),
        limits.node.longPollSeconds,
      ),
    }),
    response: desiredState,
  }),
  getNetworks: defineEndpoint({
    method: 'GET',
    path: '/networks',
    caller: 'node',
    summary: 'The networks of operators by which a node counts how devices get through',
    response: reachNetworks,
  }),
  answerTrace: defineEndpoint({
    method: 'POST',
    path: '/trace-answers',
    caller: 'node',
    summary: 'Answer which config uses a port at this moment; nothing of it is kept',
    body: z.strictObject({ id, answer: traceAnswer }),
    response: done,
  }),
  reportUsage: defineEndpoint({
    method: 'POST',
    path: '/usage-reports',
    caller: 'node',
    summary: 'Report cumulative usage; returns the acknowledgement and new leases',
    body: usageReport,
    response: usageReply,
  }),
};
