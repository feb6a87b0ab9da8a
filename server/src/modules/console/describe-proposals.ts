import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Proposal, Requested as WireRequested } from '@raha/contract/admin/money.ts';
import { toWire } from '@raha/contract/money.ts';
import type { StaffActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { getUsers } from '../accounts/users.ts';
import { type BulkRow, listProposed } from '../bulk/list-bulks.ts';
import { aloneFrom, findAloneHours } from '../staff/second-member.ts';
import { listProposals, type Proposal as Row } from '../wallet/decide-proposal.ts';
import type { Requested } from '../wallet/propose-correction.ts';
import { maskEmail } from './rules.ts';

/** Proposals with the names of members, and users masked. */
export async function describeProposals(
  { db, clock }: { readonly db: Executor; readonly clock: Clock },
  actor: StaffActor,
): Promise<Proposal[]> {
  const now = clock.now();
  const rows = await listProposals(db, now, staffLimits.proposals.most);
  const ids = rows.flatMap((row) => [row.user_id, row.proposed_by, row.decided_by]).filter((id) => id !== null);
  const orders = await ordersOf(db, rows);
  const users = await getUsers(db, [...new Set(ids)]);
  const emailOf = (id: string) => users.get(id)?.email ?? id;
  const aloneHours = await findAloneHours(db, actor, 'corrections.decide');
  return rows.map((row): Proposal => {
    const state = stateOf(row, now);
    const isOwn = state === 'open' && row.proposed_by === actor.userId;
    return {
      ...{ id: row.id, kind: row.kind, amount: toWire(row.amount_toman), reason: row.reason, state },
      user: row.user_id === null ? null : describeUser(row.user_id, users.get(row.user_id)),
      bulk: describeOrder(row, orders.get(row.id)),
      proposed_by: emailOf(row.proposed_by),
      proposed_at: row.proposed_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      decided_by: row.decided_by && emailOf(row.decided_by),
      decided_at: row.decided_at?.toISOString() ?? null,
      ...{ payment: row.payment_id, reference: row.reference, alone: row.alone },
      is_own: isOwn,
      alone_from: isOwn && aloneHours !== undefined ? aloneFrom(row, aloneHours).toISOString() : null,
    };
  });
}

/** By proposal; none of them are asked for where no proposal is about one. */
async function ordersOf(db: Executor, rows: readonly Row[]): Promise<ReadonlyMap<string, BulkRow>> {
  const about = rows.filter(({ kind }) => kind === 'bulk').map(({ id }) => id);
  const orders = about.length === 0 ? [] : await listProposed(db, about);
  return new Map(orders.map((order) => [order.proposal_id ?? '', order]));
}

function describeUser(id: string, user: { readonly name: string; readonly email: string } | undefined) {
  return { id, name: user?.name ?? '', email: maskEmail(user?.email ?? '') };
}

function describeOrder({ people, each_toman: each }: Row, order: BulkRow | undefined): Proposal['bulk'] {
  if (!order || people === null || each === null) return null;
  return { id: order.id, people, each: toWire(each), message: order.message ?? '' };
}

function stateOf({ state, expires_at }: Row, now: Date): Proposal['state'] {
  return state === 'open' && expires_at <= now ? 'expired' : state;
}

/** How the wire says that an act was done, or proposed to a second member. */
export function describeRequested(done: Requested): WireRequested {
  return { outcome: done.outcome, id: done.outcome === 'proposed' ? done.id : null };
}
