import * as z from 'zod/mini';
import { id, instant, toman, wrapped } from '../shapes.ts';
import { alert } from './alerts.ts';
import { approvalActs } from './approvals.ts';
import { bulkLine } from './bulk.ts';
import { defineAdminEndpoint } from './endpoint.ts';
import { nodeTroubles } from './fleet.ts';

/** What waits for a member, and how the installation does. Parts that a role does not see are null. */

export const waitingItem = z.object({
  kind: z.enum(['payment', 'refund', 'proposal', 'approval']),
  /** Of a refund: of its payment. */
  id,
  /** Null: it is about so many users of a bulk, or about none. */
  user: z.nullable(z.object({ name: z.string(), email: z.string() })),
  people: z.nullable(z.int()),
  /** Of an approval: what is proposed. */
  act: z.nullable(z.enum(approvalActs)),
  /** Null: it is about no money of a wallet. */
  amount: z.nullable(toman),
  since: instant,
});
export type WaitingItem = z.output<typeof waitingItem>;

export const today = z.object({
  at: instant,
  /** Oldest first, of each kind at most so many. */
  waiting: z.array(waitingItem),
  counts: z.object({ payments: z.int(), refunds: z.int(), proposals: z.int(), approvals: z.int() }),
  /** Alerts that are open and not silenced, those to act on at once first. */
  alerts: z.array(alert),
  /** Credited payments and refunds that arrived, of today in Tehran, and of the same part of the day a week ago. */
  money: z.nullable(
    z.object({
      credited: toman,
      payments: z.int(),
      refunded: toman,
      week_ago: z.object({ credited: toman, payments: z.int() }),
    }),
  ),
  ledger: z.nullable(z.object({ violations: z.int(), proved_at: z.nullable(instant), whole_at: z.nullable(instant) })),
  /** Toman for a dollar; null: there is none, and nothing that needs it works. */
  rate: z.nullable(z.object({ toman: z.number() })),
  /** The change of the price that waits for its moment. */
  planned_price: z.nullable(z.object({ usd_cents_per_gb: z.int(), from: instant })),
  /** Of all changes of plans that wait for their moment, the first. */
  planned_plan: z.nullable(z.object({ id: z.string(), price: toman, from: instant })),
  /** Bulks that wait, run or are paused. */
  bulks: z.array(bulkLine),
  nodes: z.nullable(
    z.object({
      online: z.int(),
      all: z.int(),
      troubled: z.array(
        z.object({ id, name: z.string(), troubles: z.array(z.enum(nodeTroubles)), suspicious: z.boolean() }),
      ),
    }),
  ),
});
export type Today = z.output<typeof today>;

export const todayCalls = {
  getToday: defineAdminEndpoint({
    method: 'GET',
    path: '/admin/today',
    caller: 'staff',
    may: 'today.read',
    proof: 'none',
    reason: 'none',
    summary: 'What waits for the member’s role, oldest first, open alerts, and how money, ledger, rate and servers are',
    response: wrapped(today),
  }),
};
