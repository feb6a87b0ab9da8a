import * as z from 'zod/mini';
import { transports } from '../protocols.ts';
import { reachOperator } from '../public/reach.ts';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { reason } from './staff.ts';

/** Where devices find servers: relays and the servers' own addresses (decisions 109 and 110), and which of them are taken out. */

export const entryStates = ['up', 'away', 'untried'] as const;
export type EntryState = (typeof entryStates)[number];

export const entryBlock = z.object({
  at: instant,
  by_rule: z.boolean(),
  /** The address of a member; null: the command line, or the rule. */
  by: z.nullable(z.string()),
  reason: z.nullable(z.string()),
  /** What the rule saw: of a hundred attempts here and at another entry; `silent` compares with what usually comes. */
  evidence: z.nullable(
    z.object({
      /** Null: of all networks together, by a relay. */
      network: z.nullable(reachOperator),
      transport: z.enum(transports),
      kind: z.enum(['unanswered', 'silent']),
      percent: z.int(),
      of: z.int(),
      elsewhere: z.int(),
    }),
  ),
  /** When the users of the server were notified; null: they are about to be. */
  notified_at: z.nullable(instant),
});
export type EntryBlock = z.output<typeof entryBlock>;

export const entryLine = z.object({
  /** Null: the server's own address. */
  relay: z.nullable(z.object({ id, name: z.string() })),
  /** Of the server itself nothing is measured here. */
  addresses: z.array(z.object({ address: z.string(), state: z.nullable(z.enum(entryStates)) })),
  round_trip_ms: z.nullable(z.number()),
  tried_at: z.nullable(instant),
  /** Whether the server's name in DNS leads there, and whether new files may name it. */
  in_name: z.boolean(),
  in_files: z.boolean(),
  block: z.nullable(entryBlock),
});
export type EntryLine = z.output<typeof entryLine>;

export const nodeEntries = z.object({
  id,
  name: z.string(),
  /** Its name in DNS as it was last set; null: it has none. */
  dns: z.nullable(z.object({ name: z.string(), addresses: z.array(z.string()), at: instant })),
  entries: z.array(entryLine),
});
export type NodeEntries = z.output<typeof nodeEntries>;

const body = z.strictObject({
  /** One of the server's; null: its own address. */
  relay: z.nullable(id),
  reason,
});

export const entryCalls = {
  listEntries: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/entries',
    caller: 'staff',
    may: 'fleet.read',
    proof: 'none',
    reason: 'none',
    summary: 'Relays and own addresses of all servers, their health, and what is in names and new files',
    response: wrapped(z.object({ at: instant, nodes: z.array(nodeEntries) })),
  }),
  blockEntry: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/nodes/{id}/entries/block',
    caller: 'staff',
    may: 'fleet.manage',
    proof: 'recent',
    reason: 'required',
    summary:
      'An entry of a server is blocked: names and new files do without it, and the server’s users are notified once',
    params: idParams,
    body,
    response: done,
  }),
  unblockEntry: defineAdminEndpoint({
    method: 'POST',
    path: '/admin/nodes/{id}/entries/unblock',
    caller: 'staff',
    may: 'fleet.manage',
    proof: 'recent',
    reason: 'required',
    summary: 'An entry is put back into names and new files',
    params: idParams,
    body,
    response: done,
  }),
};
