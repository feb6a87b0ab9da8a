import {
  type ApprovalAct,
  approvalPermissions,
  proposedCards,
  proposedPlan,
  proposedPrice,
  type Approval as Wire,
} from '@raha/contract/admin/approvals.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { StaffActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { getUsers } from '../accounts/users.ts';
import { findApprovedBatches } from '../gift-cards/request-batch.ts';
import { type Approval, isOpen, listApprovals } from '../staff/approvals.ts';
import { aloneFrom, findAloneHours } from '../staff/second-member.ts';

/** What waits for a second member, and the newest of the others, with the names of members and what became of it. */
export async function describeApprovals(
  { db, clock }: { readonly db: Executor; readonly clock: Clock },
  actor: StaffActor,
): Promise<Wire[]> {
  const now = clock.now();
  const rows = await listApprovals(db, now, staffLimits.proposals.most);
  const ids = rows.flatMap((row) => [row.proposed_by, row.decided_by]).filter((id) => id !== null);
  const users = await getUsers(db, [...new Set(ids)]);
  const emailOf = (id: string) => users.get(id)?.email ?? id;
  const done = rows.filter(({ state }) => state === 'done').map(({ id }) => id);
  const batches = await findApprovedBatches(db, done);
  const isOwn = (row: Approval) => isOpen(row, now) && row.proposed_by === actor.userId;
  const hours = await findHours(db, actor, rows.filter(isOwn));
  return rows.map((row): Wire => {
    const aloneHours = isOwn(row) ? hours.get(row.act) : undefined;
    return {
      ...{ id: row.id, act: row.act, reason: row.reason, ...contentOf(row) },
      made: batches.get(row.id) ?? null,
      proposed_by: emailOf(row.proposed_by),
      proposed_at: row.proposed_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      state: row.state === 'open' && !isOpen(row, now) ? 'expired' : row.state,
      decided_by: row.decided_by && emailOf(row.decided_by),
      at_machine: row.machine_user !== null,
      decided_at: row.decided_at?.toISOString() ?? null,
      ...{ alone: row.alone, is_own: isOwn(row) },
      alone_from: aloneHours === undefined ? null : aloneFrom(row, aloneHours).toISOString(),
    };
  });
}

function contentOf({ act, payload }: Approval): Pick<Wire, ApprovalAct> {
  return {
    cards: act === 'cards' ? proposedCards.parse(payload) : null,
    price: act === 'price' ? proposedPrice.parse(payload) : null,
    plan: act === 'plan' ? proposedPlan.parse(payload) : null,
  };
}

/** Of the member's own open proposals, by act: after how many hours they may approve it, if nobody else may. */
async function findHours(db: Executor, actor: StaffActor, own: readonly Approval[]) {
  const hours = new Map<ApprovalAct, number | undefined>();
  for (const act of new Set(own.map((row) => row.act)))
    hours.set(act, await findAloneHours(db, actor, approvalPermissions[act]));
  return hours;
}
