import * as z from 'zod/mini';
import { bytes, done, id, idParams, instant, toman, tracePort, traceProtocols, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { reason } from './staff.ts';

/**
 * Servers as staff see them. What changes by the second is a small list that is read every few seconds; figures that take
 * counting are read once a minute, and every process counts them once for all who look.
 */

export const nodeStatuses = ['active', 'inactive', 'draining', 'retired', 'revoked'] as const;
export type NodeStatusName = (typeof nodeStatuses)[number];

/** What the operator should look into. */
export const nodeTroubles = [
  'silent',
  'clock',
  'disk',
  'certificate',
  'capped',
  'no_tcp',
  'no_openconnect',
  'no_proxy',
  'no_proxy_engine',
  'release',
] as const;
export type NodeTroubleName = (typeof nodeTroubles)[number];

export const liveNode = z.object({
  id,
  name: z.string(),
  country: z.string(),
  city: z.string(),
  status: z.enum(nodeStatuses),
  online: z.boolean(),
  seen_at: z.nullable(instant),
  /** How many changes it has not taken over yet. */
  behind: z.int(),
  /** Of its link, 0 to 1. */
  load: z.nullable(z.number()),
  ping_ms: z.nullable(z.number()),
  agent: z.nullable(z.string()),
  protocols: z.array(z.string()),
  /** Of one that is being left: when its configs end. */
  retires_at: z.nullable(instant),
  troubles: z.array(z.enum(nodeTroubles)),
  /** Whether it has done what an honest node never does. */
  suspicious: z.boolean(),
});
export type LiveNode = z.output<typeof liveNode>;

export const nodeFigures = z.object({
  id,
  connected: z.int(),
  configs: z.int(),
  /** Of them, those that end when it is left. */
  leaving: z.int(),
  /** What its leases cost if all of their bytes pass. */
  leased: toman,
  /** Traffic of the provider's month, and the cap of it. */
  month: bytes,
  cap: z.nullable(bytes),
  /** The provider's charge for that traffic at the current rate; null without a price or a rate, or for roles that do not see it. */
  cost: z.nullable(toman),
});
export type NodeFigures = z.output<typeof nodeFigures>;

export const nodeMargin = z.object({
  name: z.string(),
  charged: toman,
  cost: z.nullable(toman),
  margin: z.nullable(toman),
});
export type NodeMargins = z.output<typeof nodeMargin>;

export const nodeFacts = z.object({
  ...liveNode.shape,
  figures: nodeFigures,
  address: z.nullable(z.string()),
  certificate_ends_at: z.nullable(instant),
  clock_offset_ms: z.nullable(z.int()),
  disk: z.nullable(z.object({ free: bytes, total: bytes })),
  anomalies: z.array(z.object({ kind: z.string(), times: z.int(), last_at: instant })),
  /** Of one that is being left: how far that is. */
  leave: z.object({
    users: z.int(),
    configs: z.int(),
    /** Of them, those with a replacement on another server. */
    moved: z.int(),
    to: z.array(z.object({ name: z.string(), configs: z.int() })),
  }),
  /** Servers that would take its configs. */
  targets: z.array(z.object({ id, name: z.string() })),
});
export type NodeFacts = z.output<typeof nodeFacts>;

/** Which config used a port of a server when it was asked (decision 117). */
export const traceOutcome = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('found'), config: id, user: id }),
  z.object({ outcome: z.literal('unused') }),
  /** So many configs use the port, and which one it was cannot be told. */
  z.object({ outcome: z.literal('several'), configs: z.int() }),
  /** It is not online, so it was not asked, and this is none of the traces of the hour. */
  z.object({ outcome: z.literal('offline') }),
  /** It was asked and did not answer in time. */
  z.object({ outcome: z.literal('no_answer') }),
  /** Its agent is of before traces. */
  z.object({ outcome: z.literal('old_agent') }),
  /** Its machine has no means to look, or what it said cannot be. */
  z.object({ outcome: z.literal('unable') }),
]);
export type TraceOutcome = z.output<typeof traceOutcome>;

const target = z.optional(z.nullable(id));

export const fleet = {
  listLiveNodes: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/nodes',
    caller: 'staff',
    may: 'fleet.read',
    proof: 'none',
    reason: 'none',
    summary: 'All servers as they last reported; every process reads them once in four seconds',
    response: wrapped(z.object({ nodes: z.array(liveNode), at: instant })),
  }),
  listNodeFigures: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/nodes/figures',
    caller: 'staff',
    may: 'fleet.read',
    proof: 'none',
    reason: 'none',
    summary: 'What takes counting, by server; every process counts once a minute',
    response: wrapped(z.object({ nodes: z.array(nodeFigures), at: instant })),
  }),
  listNodeMargins: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/nodes/margins',
    caller: 'staff',
    may: 'fleet.margins',
    proof: 'none',
    reason: 'none',
    summary:
      'Charge, cost and margin of the last thirty days by server, as the report says; counted at most every ten minutes',
    response: wrapped(z.object({ nodes: z.array(nodeMargin), at: instant })),
  }),
  getNodeFacts: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/nodes/{id}',
    caller: 'staff',
    may: 'fleet.read',
    proof: 'none',
    reason: 'none',
    summary: 'A server, what it holds, and how far leaving it is',
    params: idParams,
    response: wrapped(nodeFacts),
  }),
  drainNode: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/nodes/{id}/drain',
    caller: 'staff',
    may: 'fleet.manage',
    proof: 'recent',
    reason: 'required',
    summary: 'Nothing new comes to a server; what is there goes on',
    params: idParams,
    body: z.strictObject({ reason }),
    response: done,
  }),
  activateNode: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/nodes/{id}/activate',
    caller: 'staff',
    may: 'fleet.manage',
    proof: 'recent',
    reason: 'required',
    summary: 'A server takes configs again; what has moved stays where it is',
    params: idParams,
    body: z.strictObject({ reason }),
    response: done,
  }),
  retireNode: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/nodes/{id}/retire',
    caller: 'staff',
    may: 'fleet.manage',
    proof: 'recent',
    reason: 'required',
    summary: 'Move a server’s users to another one, the best or the given one; both serve them for so many days',
    params: idParams,
    body: z.strictObject({
      to: target,
      days: z.int('invalid').check(z.gte(0, 'too_small'), z.lte(90, 'too_large')),
      reason,
    }),
    response: done,
  }),
  tracePort: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/nodes/{id}/trace',
    caller: 'staff',
    may: 'abuse.trace',
    proof: 'recent',
    reason: 'required',
    summary: 'Ask a server which config uses a port now; nothing is kept but who asked, why and whose config it was',
    params: idParams,
    body: z.strictObject({
      family: z.literal([4, 6], 'invalid'),
      protocol: z.enum(traceProtocols, 'invalid'),
      port: tracePort,
      remote_port: z.optional(tracePort),
      reason,
    }),
    response: wrapped(traceOutcome),
  }),
  revokeNode: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/nodes/{id}/revoke',
    caller: 'staff',
    may: 'fleet.manage',
    proof: 'recent',
    reason: 'required',
    summary: 'A server is out at once and for good; its name is typed to confirm',
    params: idParams,
    body: z.strictObject({ to: target, name: z.string('required').check(z.maxLength(100, 'too_long')), reason }),
    response: done,
  }),
};
