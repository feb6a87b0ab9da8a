import { isPermitted, type Permission } from '@raha/contract/admin/roles.ts';
import type { StaffActor } from '../../platform/audit.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import type { Executor, Tx } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { listMembers } from './list-members.ts';
import { aloneHours, pricesAlone, proposalHours } from './settings.ts';
import { hasPermission, holdPermission, isOtherWith } from './standing.ts';

/** What waits for a second member, by whatever table: who proposed it, and when. */
export interface Proposed {
  readonly proposed_by: string;
  readonly proposed_at: Date;
}

/** Until when what is proposed now can be decided. */
export async function findEnd(tx: Tx, now: Date): Promise<Date> {
  return addSeconds(now, (await getSetting(tx, proposalHours)) * 3_600);
}

/** Hours after which a member may approve their own proposals, if nobody else may; undefined: somebody else may. */
export async function findAloneHours(
  db: Executor,
  actor: StaffActor,
  permission: Permission,
): Promise<number | undefined> {
  return (await isOtherWith(db, actor, permission)) ? undefined : await getSetting(db, aloneHours);
}

/** Whether a member changes prices and plans without a second one. Refuses `forbidden` to who may not even propose it. */
export async function mayChangePrices(tx: Tx, actor: StaffActor): Promise<boolean> {
  await holdPermission(tx, actor, 'prices.propose');
  return (await getSetting(tx, pricesAlone)) && (await hasPermission(tx, actor, 'prices.manage'));
}

/** The same before, for the form: null, or after how many hours the member may approve it, if nobody else may. */
export async function findSecond(db: Executor, actor: StaffActor): Promise<{ readonly hours: number | null } | null> {
  const mayDecide = await hasPermission(db, actor, 'prices.manage');
  if (mayDecide && (await getSetting(db, pricesAlone))) return null;
  return { hours: (mayDecide ? await findAloneHours(db, actor, 'prices.manage') : undefined) ?? null };
}

export function aloneFrom({ proposed_at }: Pick<Proposed, 'proposed_at'>, hours: number): Date {
  return addSeconds(proposed_at, hours * 3_600);
}

/**
 * Whether the proposer decides, which needs that nobody else may, and the delay. Refuses `proposal_own` and `proposal_waits`. The caller
 * has held the permission.
 */
export async function decideAlone(
  tx: Tx,
  { clock }: { readonly clock: Clock },
  actor: StaffActor,
  proposed: Proposed,
  permission: Permission,
): Promise<boolean> {
  if (proposed.proposed_by !== actor.userId) return false;
  const hours = await findAloneHours(tx, actor, permission);
  if (hours === undefined) throw new Refusal('proposal_own');
  if (clock.now() < aloneFrom(proposed, hours)) throw new Refusal('proposal_waits', { details: { hours } });
  return true;
}

/** Something that nobody has decided yet, and what is needed to decide it. */
export interface Undecided extends Proposed {
  readonly permission: Permission;
}

/**
 * After so long nobody has it in mind: a colleague who was asked across the table has decided by then, and there are days left until its end. It is as long as
 * payments wait for the operator before they are an alert.
 */
const FORGOTTEN_SECONDS = 3_600;

/** How many of these are forgotten: after an hour, or, of one who is alone, as soon as they may decide it themselves. */
export async function countForgotten(db: Executor, undecided: readonly Undecided[], now: Date): Promise<number> {
  if (undecided.length === 0) return 0;
  const hours = await getSetting(db, aloneHours);
  const members = (await listMembers(db)).filter(({ isActive }) => isActive);
  return undecided.filter((proposed) => {
    const deciders = members.filter(({ role }) => isPermitted(role, proposed.permission));
    const isAlone = deciders.length === 1 && deciders[0]?.userId === proposed.proposed_by;
    return now >= (isAlone ? aloneFrom(proposed, hours) : addSeconds(proposed.proposed_at, FORGOTTEN_SECONDS));
  }).length;
}
