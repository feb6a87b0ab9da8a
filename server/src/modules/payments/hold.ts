import * as z from 'zod/mini';
import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import { defineSetting, getSetting, readSetting, setSetting } from '../../platform/settings.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';

/**
 * Payments are held after a restore: the banks hold payments that the books no longer know, and refunds that they no longer know as
 * sent. Nobody may pay and no refund is sent until the books agree with the banks' lists again (decision 99).
 */
export interface Hold {
  /** Of when the books are: what the banks did after it may be missing in them. */
  readonly from: Date;
  readonly since: Date;
}

const state = defineSetting(
  'internal.paymentsHold',
  z.nullable(z.object({ from: z.string(), since: z.string() })),
  null,
);

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Undefined while payments are not held. */
export async function findHold(db: Executor): Promise<Hold | undefined> {
  return parse(await getSetting(db, state));
}

/** A second restore widens the time that the banks' lists have to cover. */
export async function holdPayments(
  deps: Deps,
  { actor, from, reason, operator }: { actor: Actor; from: Date; reason: string; operator?: string | undefined },
): Promise<Hold> {
  return await inTransaction(deps.db, async (tx) => {
    const before = parse(await readSetting(tx, state));
    const since = deps.clock.now();
    if (from > since) throw new OperatorMistake('invalid', 'is in the future.', 'from');
    const hold = { from: before && before.from < from ? before.from : from, since };
    const text = JSON.stringify({ from: hold.from.toISOString(), since: since.toISOString() });
    await setSetting(tx, state, text, since);
    const details = { from: hold.from.toISOString() };
    await deps.audit.record(tx, actor, { action: 'payments.hold', operator, reason, details });
    return hold;
  });
}

/** Ends the hold that was examined; a newer one stays. */
export async function endHold(
  deps: Deps,
  examined: Hold,
  { actor, operator, reason, without }: { actor: Actor; operator: string; reason: string; without: string },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const now = parse(await readSetting(tx, state));
    if (now?.since.getTime() !== examined.since.getTime())
      throw new OperatorMistake('conflict', 'Payments were held again, or released, at this moment.');
    await setSetting(tx, state, 'null', deps.clock.now());
    const details = { from: now.from.toISOString(), since: now.since.toISOString(), without };
    await deps.audit.record(tx, actor, { action: 'payments.release', operator, reason, details });
  });
}

function parse(value: z.output<typeof state.schema>): Hold | undefined {
  return value === null ? undefined : { from: new Date(value.from), since: new Date(value.since) };
}
