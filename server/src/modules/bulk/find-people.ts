import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { PeopleFilter } from '@raha/contract/admin/people.ts';
import type { Executor } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUsers, listFitting, type PeopleQuery } from '../accounts/users.ts';
import { ownersOnNode } from '../configs/list-configs.ts';
import { isMoreThanShown } from './rules.ts';

/** Each once, in no order. Refuses `not_found`. */
export async function findChosen(db: Executor, ids: readonly string[]): Promise<string[]> {
  const users = await getUsers(db, [...new Set(ids)]);
  const there = [...users.values()].filter(({ status }) => status !== 'deleted');
  if (there.length < new Set(ids).size) throw new Refusal('not_found');
  return there.map(({ id }) => id);
}

/** All who fit. Refuses `bulk_too_many`, and `bulk_count` when more fit than were shown. */
export async function findAllFitting(
  db: Executor,
  { filter, count }: { filter: PeopleFilter; count: number },
): Promise<string[]> {
  const { most, morePercent } = staffLimits.bulk;
  const ids = await listFitting(db, queryOf(filter), most + 1);
  if (ids.length > most) throw new Refusal('bulk_too_many', { details: { most } });
  if (isMoreThanShown(ids.length, count, morePercent))
    throw new Refusal('bulk_count', { details: { count: ids.length } });
  return ids;
}

/** What the list of users is asked for a filter. */
export function queryOf({ state, server }: PeopleFilter): PeopleQuery {
  return { status: state, among: server === undefined ? undefined : ownersOnNode(server) };
}

/** How many fit, up to as many as one bulk may have. */
export async function countFitting(db: Executor, filter: PeopleFilter): Promise<{ count: number; more: boolean }> {
  const { most } = staffLimits.bulk;
  const { length } = await listFitting(db, queryOf(filter), most + 1);
  return { count: Math.min(length, most), more: length > most };
}
