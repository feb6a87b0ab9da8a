import { type BulkAct, type BulkWhom, bulkPermissions } from '@raha/contract/admin/bulk.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { PeopleFilter } from '@raha/contract/admin/people.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { claimKey, type IdempotentRequest, runIdempotently, storeAnswer } from '../../platform/idempotency.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { holdPermission } from '../staff/standing.ts';
import { findAllFitting, findChosen } from './find-people.ts';
import { inverseOf, isOver } from './rules.ts';
import { insertBulk, insertItems, lockBulk, noCredit, selectDone, selectUndoing } from './tables.ts';

export interface BulkDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

export interface Ordered {
  readonly id: string;
  readonly people: number;
  readonly startsAt: string;
}

export interface Order {
  readonly actor: Actor;
  readonly reason: string;
  readonly idempotent?: IdempotentRequest | undefined;
}

/**
 * Plans an act on many users for two minutes from now. Who they are is written down now: users who fit the filter later are left alone.
 * Refuses `forbidden`, `not_found` (of an id), `bulk_count` (more fit the filter than were shown), `bulk_too_many` and `bulk_nobody`.
 */
export async function orderBulk(
  deps: BulkDeps,
  order: Order & { readonly act: PlainAct; readonly whom: BulkWhom },
): Promise<Ordered> {
  const { act, whom } = order;
  return await once(deps, order, async (tx) => {
    return await plan(tx, deps, order, { act, ...(await choose(tx, whom)), seconds: staffLimits.bulk.planSeconds });
  });
}

/**
 * Takes an act back for exactly those whom a bulk changed, from now on. Refuses `not_found`, `forbidden`, `bulk_final` (there is no way
 * back, or it is one itself), `bulk_state` (it has not ended), `bulk_undone` and `bulk_nobody`.
 */
export async function undoBulk(deps: BulkDeps, order: Order & { readonly id: string }): Promise<Ordered> {
  return await once(deps, order, async (tx) => {
    const bulk = await lockBulk(tx, order.id);
    if (!bulk) throw new Refusal('not_found');
    const act = inverseOf(bulk.act);
    if (act === undefined || act === 'credit' || bulk.undoes !== null) throw new Refusal('bulk_final');
    if (!isOver(bulk.state)) throw new Refusal('bulk_state');
    if (await selectUndoing(tx, bulk.id)) throw new Refusal('bulk_undone');
    const userIds = await selectDone(tx, bulk.id);
    return await plan(tx, deps, order, { act, filter: null, userIds, seconds: 0, undoes: bulk.id });
  });
}

/** Who they are, now. */
export async function choose(tx: Tx, whom: BulkWhom): Promise<Pick<Plan, 'filter' | 'userIds'>> {
  if ('ids' in whom) return { filter: null, userIds: await findChosen(tx, whom.ids) };
  return { filter: whom.filter, userIds: await findAllFitting(tx, whom) };
}

/** Once for an idempotency key. */
export async function once<T>(
  deps: Pick<BulkDeps, 'db' | 'clock'>,
  { idempotent }: Order,
  act: (tx: Tx) => Promise<T>,
): Promise<T> {
  return await runIdempotently(deps.db, idempotent, () =>
    inTransaction(deps.db, async (tx) => {
      const earlier = await claimKey<T>(tx, idempotent, deps.clock.now());
      if (earlier) return earlier;
      const ordered = await act(tx);
      await storeAnswer(tx, idempotent, ordered);
      return ordered;
    }),
  );
}

/** What moves no money. */
export type PlainAct = Exclude<BulkAct, 'credit'>;

interface Plan {
  readonly act: PlainAct;
  readonly filter: PeopleFilter | null;
  readonly userIds: readonly string[];
  readonly seconds: number;
  readonly undoes?: string;
}

async function plan(
  tx: Tx,
  deps: BulkDeps,
  order: Order,
  { act, filter, userIds, seconds, undoes }: Plan,
): Promise<Ordered> {
  const { actor, reason } = order;
  if (actor.kind === 'staff') await holdPermission(tx, actor, bulkPermissions[act]);
  if (userIds.length === 0) throw new Refusal('bulk_nobody');
  const ordered_at = deps.clock.now();
  const starts_at = addSeconds(ordered_at, seconds);
  const id = newId(ordered_at);
  const people = userIds.length;
  await insertBulk(tx, {
    ...{ id, act, reason, filter, ...whoOf(actor), ordered_at, starts_at, people, ...noCredit },
    undoes: undoes ?? null,
  });
  await insertItems(tx, id, userIds);
  await deps.audit.record(tx, actor, {
    ...(undoes === undefined ? { action: 'bulks.order' } : { action: 'bulks.undo' }),
    target: { kind: 'bulk', id },
    reason,
    details: { act, people, ...definedOf(filter), ...(undoes === undefined ? {} : { undoes }) },
  });
  return { id, people, startsAt: starts_at.toISOString() };
}

/** How an order keeps who gave it. */
export function whoOf(actor: Actor) {
  return { actor_kind: actor.kind, actor: actor.kind === 'staff' ? actor.userId : actor.systemUser };
}

export function definedOf(filter: PeopleFilter | null) {
  const { state = null, server = null } = filter ?? {};
  return filter === null ? {} : { state, server };
}
