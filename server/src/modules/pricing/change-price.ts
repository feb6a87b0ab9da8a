import { staffLimits } from '@raha/contract/admin/limits.ts';
import { limits } from '@raha/contract/limits.ts';
import type { Actor, Audit, StaffActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { announceKept } from '../../platform/settings.ts';
import { decideInForce, decideMoment, findPlanned, isCancellable } from '../../platform/versions.ts';
import { holdPermission } from '../staff/standing.ts';
import { insertVersion, lockPrices, selectNewest, selectVersion, updateCancelled } from './tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

export interface PriceOrder {
  readonly actor: Actor;
  readonly usdCentsPerGb: number;
  /** Undefined: at once. */
  readonly from: Date | undefined;
  /** The newest version by which it was decided. */
  readonly seen: string | null;
  readonly reason: string;
}

/**
 * Changes the price of a gigabyte, at once or from a moment on. Leases, segments and plans keep theirs. `details` go into the entry of the
 * audit. Refuses `forbidden`, `prices_changed` if another version is the newest by now, `price_planned` if another change waits for its
 * moment, and `price_moment`.
 */
export async function changePrice(
  tx: Tx,
  deps: Deps,
  order: PriceOrder,
  details: Readonly<Record<string, string | boolean>> = {},
): Promise<{ readonly id: string; readonly from: Date }> {
  const { actor, usdCentsPerGb, from, reason } = order;
  if (actor.kind === 'staff') await holdPermission(tx, actor, 'prices.manage');
  const { before, validFrom, now } = await prepare(tx, deps, order);
  const id = newId(now);
  const createdAt = from ? now : validFrom;
  const createdBy = actor.kind === 'staff' ? actor.userId : null;
  await insertVersion(tx, { id, usdCentsPerGb, validFrom, createdAt, createdBy, reason });
  await announceKept(tx);
  await deps.audit.record(tx, actor, {
    action: 'prices.change',
    target: { kind: 'price', id },
    reason,
    details: { from: validFrom.toISOString(), ...details },
    changed: { usdCentsPerGb: [before, usdCentsPerGb] },
  });
  return { id, from: validFrom };
}

/** Whether the change is possible now; orders it among others. Returns what a gigabyte costs before, and from when on it holds. */
export async function prepare(
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  { from, seen }: Pick<PriceOrder, 'from' | 'seen'>,
): Promise<{ readonly before: number; readonly validFrom: Date; readonly now: Date }> {
  await lockPrices(tx);
  const now = clock.now();
  const versions = await selectNewest(tx);
  if ((versions[0]?.id ?? null) !== seen) throw new Refusal('prices_changed');
  if (from && findPlanned(versions, now)) throw new Refusal('price_planned');
  const inForce = decideInForce(versions, now);
  const validFrom = decideMoment(from, now, inForce);
  if (!validFrom) throw new Refusal('price_moment', { details: { minutes: staffLimits.prices.planMinutes } });
  return { before: centsOf(inForce), validFrom, now };
}

/**
 * A planned change does not come into force. Refuses `forbidden`, `not_found`, and `price_in_force` once it is in force, cancelled
 * before, or about to come into force within seconds.
 */
export async function cancelPrice(
  deps: Deps,
  { actor, id, reason }: { readonly actor: StaffActor; readonly id: string; readonly reason: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await holdPermission(tx, actor, 'prices.manage');
    await lockPrices(tx);
    const now = deps.clock.now();
    const version = await selectVersion(tx, id);
    if (!version) throw new Refusal('not_found');
    if (version.cancelledAt || !isCancellable(version, now)) throw new Refusal('price_in_force');
    await updateCancelled(tx, id, actor.userId, now);
    await announceKept(tx);
    const details = { usdCentsPerGb: version.usdCentsPerGb, from: version.validFrom.toISOString() };
    await deps.audit.record(tx, actor, { action: 'prices.cancel', target: { kind: 'price', id }, reason, details });
  });
}

/**
 * The command line sets the price at once; what is planned stays planned. Returns the price before. The caller records it.
 */
export async function setPriceNow(tx: Tx, usdCentsPerGb: number, now: Date): Promise<number> {
  await lockPrices(tx);
  const inForce = decideInForce(await selectNewest(tx), now);
  const at = decideMoment(undefined, now, inForce) ?? now;
  const row = { id: newId(now), usdCentsPerGb, validFrom: at, createdAt: at, createdBy: null, reason: null };
  await insertVersion(tx, row);
  await announceKept(tx);
  return centsOf(inForce);
}

function centsOf(version: { readonly usdCentsPerGb: number } | undefined): number {
  return version?.usdCentsPerGb ?? limits.price.usdCentsPerGb;
}
