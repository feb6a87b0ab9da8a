import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { cleanName } from '../persian.ts';
import { protocols } from '../protocols.ts';
import { bytes, done, id, idParams, instant, wrapped } from '../shapes.ts';

export const configName = z.pipe(
  z.pipe(z.string('fill_all').check(z.maxLength(10_000, 'too_long')), z.transform(cleanName)),
  z.string().check(z.minLength(1, 'fill_all'), z.maxLength(limits.config.nameMax, 'too_long')),
);

/** A WireGuard public key: 32 bytes in base64. */
export const wireguardKey = z
  .string('key_invalid')
  .check(z.regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, 'key_invalid'));

export const location = z.object({
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  city: z.string(),
});

export const server = z.object({
  id,
  name: z.string(),
  isOnline: z.boolean(),
  status: z.enum(['active', 'inactive']),
  location,
  protocols: z.array(z.enum(protocols)),
  /**
   * Median round trip between the server and the devices connected to it, in milliseconds; null until it is measured.
   */
  ping: z.nullable(z.number()),
  recommendationScore: z.number(),
  performance: z.object({ currentLoad: z.number() }),
  /** UDP ports at which it accepts WireGuard beside its own. Absent: no others. */
  otherPorts: z.optional(z.array(z.int())),
  /** True: it accepts configs of OpenVPN over OpenConnect as well. Absent: it does not. */
  openconnect: z.optional(z.boolean()),
  /** True: its proxy takes configs of OpenVPN. Absent: it does not. */
  proxy: z.optional(z.boolean()),
});
export type Server = z.output<typeof server>;

/** Why a config passes no traffic, or that it does. */
export const serviceStates = ['ok', 'no_balance', 'cap_reached', 'disconnected', 'server_offline'] as const;

export const familyShare = z.object({
  /** As the owner calls the guest, and is called, on the guest's page. */
  guest_name: z.string(),
  sender_name: z.string(),
  /** The one-time link: not opened yet, opened, or never opened in its time. */
  link: z.enum(['new', 'opened', 'expired']),
  expires_at: instant,
  opened_at: z.nullable(instant),
  monthly_bytes: bytes,
  /** Bytes of this month, as on the statement. */
  used_bytes: bytes,
  /** When the next month begins. */
  resets_at: instant,
});
export type FamilyShare = z.output<typeof familyShare>;

export const config = z.object({
  id,
  name: z.string(),
  protocol: z.enum(protocols),
  status: z.enum(['active', 'inactive', 'expired']),
  /** `ok`; or why it is cut: wallet empty, monthly cap reached, disconnected from the panel, or its server is away. */
  service: z.enum(serviceStates),
  /** False until the VPN server itself has said that it serves the latest change. */
  applied: z.boolean(),
  /** True while the server sees the tunnel alive. */
  connected: z.boolean(),
  /** True when the server keeps the private key, so that file and QR can be fetched again. */
  keepKey: z.boolean(),
  server: z.object({
    id,
    name: z.string(),
    location,
    ping: z.nullable(z.number()),
    isOnline: z.boolean(),
    /** WireGuard only: UDP ports that the server accepts instead of the one in the file. Absent: no others. */
    otherPorts: z.optional(z.array(z.int())),
    /** OpenVPN only: where the server accepts this config's certificate over OpenConnect as well. Absent: it does not. */
    openconnect: z.optional(z.object({ host: z.string(), port: z.int() })),
    /** OpenVPN only: where the server's proxy takes this config as well, as https address. Absent: it does not. */
    proxy: z.optional(z.string()),
  }),
  /** Bytes, both directions. */
  traffic_used: bytes,
  totalTraffic: bytes,
  uploaded: bytes,
  downloaded: bytes,
  lastUsed: z.nullable(instant),
  last_connected: z.nullable(instant),
  created_at: instant,
  /** With whom its owner shares it; null: with nobody. */
  family: z.nullable(familyShare),
});
export type Config = z.output<typeof config>;

/** A new or reset config; `file` is returned once, unless the server keeps the key. */
const issued = wrapped(
  z.object({
    config,
    /**
     * The client's file. Its PrivateKey line is the placeholder `{{PRIVATE_KEY}}` when the key was made by the client.
     */
    file: z.string(),
    filename: z.string(),
  }),
);

const keys = {
  /** Public key made by the client. Without it the server makes the pair. */
  publicKey: z.optional(wireguardKey),
  /** Whether the server keeps its pair, encrypted, for later downloads. Ignored with publicKey. */
  keepKey: z.optional(z.boolean()),
};

export const PRIVATE_KEY_PLACEHOLDER = '{{PRIVATE_KEY}}';

/** Whose client a profile of IKEv2 is for; other protocols have one file for all. */
export const profileSystems = ['apple', 'android', 'windows'] as const;
export type ProfileSystem = (typeof profileSystems)[number];

export const configs = {
  listConfigs: defineEndpoint({
    method: 'GET',
    path: '/user/configs',
    caller: 'user',
    summary: 'The configs of the signed-in user, newest first',
    response: wrapped(z.object({ configs: z.array(config) })),
  }),
  createConfig: defineEndpoint({
    method: 'POST',
    path: '/user/configs',
    caller: 'user',
    summary: 'Create a config; it is live on its server within a second',
    status: 201,
    body: z.strictObject({
      name: configName,
      serverId: z.uuid('fill_all'),
      protocol: z._default(z.enum(protocols, 'invalid'), 'wireguard'),
      ...keys,
    }),
    response: issued,
  }),
  getConfig: defineEndpoint({
    method: 'GET',
    path: '/user/configs/{id}',
    caller: 'user',
    summary: 'One config',
    params: idParams,
    response: wrapped(z.object({ config })),
  }),
  renameConfig: defineEndpoint({
    method: 'PUT',
    path: '/user/configs/{id}',
    caller: 'user',
    summary: 'Rename a config',
    params: idParams,
    body: z.strictObject({ name: configName }),
    response: wrapped(z.object({ config })),
  }),
  deleteConfig: defineEndpoint({
    method: 'DELETE',
    path: '/user/configs/{id}',
    caller: 'user',
    summary: 'Delete a config; its reserved money comes back once the server has removed it',
    params: idParams,
    response: done,
  }),
  resetConfig: defineEndpoint({
    method: 'POST',
    path: '/user/configs/{id}/reset',
    caller: 'user',
    summary: 'Issue new keys; the old ones stop working at once',
    params: idParams,
    body: z.optional(z.strictObject(keys)),
    response: issued,
  }),
  downloadConfig: defineEndpoint({
    method: 'GET',
    path: '/user/configs/{id}/download',
    caller: 'user',
    summary: 'The client file: WireGuard .conf, OpenVPN .ovpn, IKEv2 .mobileconfig, .sswan or .ps1',
    params: idParams,
    query: z.object({ system: z.optional(z.enum(profileSystems, 'invalid')) }),
    produces: 'text/plain',
  }),
  configQr: defineEndpoint({
    method: 'GET',
    path: '/user/configs/{id}/qr',
    caller: 'user',
    summary: 'The client file as a QR code (SVG); WireGuard only, others do not fit and are not found',
    params: idParams,
    produces: 'image/svg+xml',
  }),
  listServers: defineEndpoint({
    method: 'GET',
    path: '/servers',
    caller: 'user',
    summary: 'Servers, online ones first, best first',
    response: wrapped(z.object({ servers: z.array(server) })),
  }),
};

export const connectionState = z.object({
  isConnected: z.boolean(),
  /** `waiting` until the server sees the device. */
  state: z.enum(['disconnected', 'waiting', 'connected']),
  currentConfig: z.nullable(config),
  /** When the tunnel was first seen alive. */
  connectedSince: z.nullable(instant),
  /** Seconds. */
  connectionTime: z.int(),
});

export type Connection = z.output<typeof connectionState>;

export const connectionMetrics = z.object({
  /** Whose they are; null while no device is connected. */
  configId: z.nullable(z.uuid()),
  /** Bits per second over the last sampling window. */
  uploadSpeed: z.number(),
  downloadSpeed: z.number(),
  /** Milliseconds from the server to the device; null when the device does not answer. */
  ping: z.nullable(z.number()),
  bytesTransferred: bytes,
  sampledAt: z.nullable(instant),
});

export const connection = {
  connect: defineEndpoint({
    method: 'POST',
    path: '/connection/connect',
    caller: 'user',
    summary: 'Let the server accept a config, and wait for the device',
    body: z.strictObject({ configId: z.uuid('invalid') }),
    response: wrapped(connectionState),
  }),
  disconnect: defineEndpoint({
    method: 'POST',
    path: '/connection/disconnect',
    caller: 'user',
    summary: 'Make the server refuse a config (the current one when none is named) until it is connected again',
    body: z.optional(z.strictObject({ configId: z.optional(z.uuid('invalid')) })),
    response: wrapped(connectionState),
  }),
  connectionStatus: defineEndpoint({
    method: 'GET',
    path: '/connection/status',
    caller: 'user',
    summary: 'Whether a device is connected now',
    response: wrapped(connectionState),
  }),
  connectionMetrics: defineEndpoint({
    method: 'GET',
    path: '/connection/metrics',
    caller: 'user',
    summary: 'Speed, ping and bytes of the current connection',
    response: wrapped(connectionMetrics),
  }),
};
