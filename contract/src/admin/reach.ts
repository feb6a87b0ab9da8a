import * as z from 'zod/mini';
import { transports } from '../protocols.ts';
import { reachOperator } from '../public/reach.ts';
import { autonomousSystem, id, instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';

/**
 * How devices get through, as the operator sees it: by network, transport, entry and time (decisions 106 and 131). Nothing is shown that is
 * smaller than what may be kept, and what has no figure is absent: it is not zero.
 */

/** Of each way the latest hour that was kept; or the sum of a day, or of a week. */
export const reachSpans = ['hour', 'day', 'week'] as const;
export type ReachSpan = (typeof reachSpans)[number];

const share = z.object({
  /** Of a hundred attempts, how many connected. */
  percent: z.int(),
  /** From how many attempts or answers it was computed. */
  of: z.int(),
  source: z.enum(['servers', 'answers']),
  /** The end of the last hour that is in it; of a server, when it was read. */
  at: instant,
});
export type ReachShare = z.output<typeof share>;

const transport = z.enum(transports);

export const reachMapCell = z.object({ network: autonomousSystem, transport, share });
export type ReachMapCell = z.output<typeof reachMapCell>;

/** An entry of a server: a relay, or (without one) its own address. */
export const reachEntry = z.object({
  node: z.object({ id, name: z.string() }),
  relay: z.nullable(z.object({ id, name: z.string() })),
  /** Whether somebody or the rule has taken it out. */
  blocked: z.boolean(),
  /** Of about the last hour; by a relay over all networks, because it hides them. Null: there were not enough attempts. */
  share: z.nullable(share),
});
export type ReachEntry = z.output<typeof reachEntry>;

export const reachWay = z.object({
  network: reachOperator,
  transport,
  share: z.nullable(share),
  /** Of WireGuard also at other ports; null: the usual one. */
  ports: z.array(z.object({ port: z.nullable(z.int()), share })),
  /** The span as the chart has it, and its hours that were kept, oldest first. */
  from: instant,
  to: instant,
  hours: z.array(z.object({ begins: instant, share })),
  entries: z.array(reachEntry),
});
export type ReachWay = z.output<typeof reachWay>;

export const reachMapCalls = {
  getReachMap: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reach',
    caller: 'staff',
    may: 'fleet.read',
    proof: 'none',
    reason: 'none',
    summary: 'How devices get through by operator’s network and transport; every process reads it once a minute',
    query: z.object({ span: z.enum(reachSpans, 'invalid') }),
    response: wrapped(z.object({ at: instant, networks: z.array(reachOperator), cells: z.array(reachMapCell) })),
  }),
  getReachWay: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/reach/{network}/{transport}',
    caller: 'staff',
    may: 'fleet.read',
    proof: 'none',
    reason: 'none',
    summary: 'One transport on one network: by port, by hour, and by entry where enough came together',
    params: z.object({
      /** Number of its autonomous system. */
      network: z.string().check(z.regex(/^[1-9]\d{0,9}$/)),
      transport,
    }),
    query: z.object({ span: z.enum(reachSpans, 'invalid') }),
    response: wrapped(reachWay),
  }),
};
