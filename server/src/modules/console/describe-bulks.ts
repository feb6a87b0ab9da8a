import { type BulkFacts, type BulkItem, type BulkLine, bulkPermissions } from '@raha/contract/admin/bulk.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import type { Executor } from '../../platform/database.ts';
import { getUsers } from '../accounts/users.ts';
import { type BulkRow, findBulk, findUndoing, type ItemRow, listItems, listOpenBulks } from '../bulk/list-bulks.ts';
import { inverseOf, isOver } from '../bulk/rules.ts';
import { findNode } from '../fleet/nodes.ts';
import type { StaffCaller } from '../staff/admit.ts';
import { findProposal } from '../wallet/decide-proposal.ts';
import { maskEmail } from './rules.ts';

type Caller = Pick<StaffCaller, 'permissions'>;

/** Bulks with the addresses of the members who ordered them. */
export async function describeBulks(db: Executor, rows: readonly BulkRow[]): Promise<BulkLine[]> {
  const members = rows.filter(({ actor_kind: kind }) => kind === 'staff').map(({ actor }) => actor);
  const users = await getUsers(db, [...new Set(members)]);
  return rows.map((row) => ({
    ...{ id: row.id, act: row.act, state: row.state, people: row.people, done: row.done, failed: row.failed },
    toman: row.each_toman === null ? null : toWire(row.each_toman),
    ...{ reason: row.reason, by: users.get(row.actor)?.email ?? row.actor },
    ordered_at: row.ordered_at.toISOString(),
    starts_at: row.starts_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  }));
}

/** Those that are not over, for the first screen of members who see users. */
export async function describeOpenBulks(db: Executor, { permissions }: Caller): Promise<BulkLine[]> {
  if (!permissions.includes('people.read')) return [];
  return await describeBulks(db, await listOpenBulks(db, staffLimits.today.most));
}

export async function describeBulk(db: Executor, id: string, { permissions }: Caller): Promise<BulkFacts | undefined> {
  const row = await findBulk(db, id);
  if (!row) return undefined;
  const [line] = await describeBulks(db, [row]);
  const { filter, undoes, lost_permission, message } = row;
  const undoneBy = await findUndoing(db, id);
  const node = filter?.server === undefined ? undefined : await findNode(db, filter.server);
  const may_steer = permissions.includes('bulks.steer') && permissions.includes(bulkPermissions[row.act]);
  const isReversible = inverseOf(row.act) !== undefined && undoes === null && undoneBy === undefined;
  return {
    ...(line as BulkLine),
    filter: filter && { state: filter.state ?? null, server: node?.name ?? filter.server ?? null },
    ...{ undoes, undone_by: undoneBy ?? null, lost_permission, message, may_steer },
    ...(await describeApproval(db, row)),
    may_undo: may_steer && isReversible && isOver(row.state) && row.done > 0,
  };
}

/** Who approved it, of what a second member has to approve. */
async function describeApproval(db: Executor, { approve_by, proposal_id }: BulkRow) {
  const proposal = proposal_id === null ? undefined : await findProposal(db, proposal_id);
  const approvedBy = proposal?.state === 'done' ? proposal.decided_by : null;
  const users = await getUsers(db, approvedBy === null ? [] : [approvedBy]);
  return {
    approve_by: approve_by?.toISOString() ?? null,
    approved_by: approvedBy && (users.get(approvedBy)?.email ?? approvedBy),
    alone: proposal?.alone ?? false,
  };
}

/** A page of the users of a bulk that are in a state, masked. */
export async function describeBulkPeople(
  db: Executor,
  id: string,
  { state, after }: { readonly state: BulkItem['state']; readonly after?: string | undefined },
): Promise<{ people: BulkItem[]; next: string | null }> {
  const { page } = staffLimits.bulk;
  const rows = await listItems(db, id, { state, after, limit: page + 1 });
  const shown = rows.slice(0, page);
  const users = await getUsers(
    db,
    shown.map(({ user_id }) => user_id),
  );
  const people = shown.map((row) => {
    const { name = '', email = '' } = users.get(row.user_id) ?? {};
    return { ...describeItem(row), name, email: maskEmail(email) };
  });
  return { people, next: rows.length > page ? (people.at(-1)?.id ?? null) : null };
}

export function describeItem({ user_id: id, state, why, at }: ItemRow) {
  return { id, state, why, at: at?.toISOString() ?? null };
}
