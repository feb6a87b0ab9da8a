import { limits } from '@raha/contract/limits.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { addSeconds, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { getSetting } from '../../platform/settings.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { findLastRate } from './read-exchange-rate.ts';
import { decideOperatorRate } from './rules.ts';
import { maxExchangeRate, minExchangeRate } from './settings.ts';
import { endOverrides, insertRate } from './tables.ts';

export interface RateOrder {
  readonly actor: Actor;
  readonly tomanPerUsd: number;
  /** Undefined: until it is cleared. */
  readonly hours?: number | undefined;
  /** The operator insists on a rate far from the last one. */
  readonly isForced?: boolean;
  /** The rate of the configuration, by which the first one is measured. */
  readonly configuredTomanPerUsd?: number | undefined;
}

/** The operator's own exchange rate. It takes precedence over every other source. */
export async function setOperatorRate(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  order: RateOrder,
): Promise<{ validUntil: Date | null }> {
  const { actor, tomanPerUsd, hours } = order;
  await requirePlausible(deps.db, order);
  const now = deps.clock.now();
  const validUntil = hours === undefined ? null : addSeconds(now, hours * 3600);
  await inTransaction(deps.db, async (tx) => {
    const before = await findLastRate(tx);
    await endOverrides(tx, now);
    await insertRate(tx, {
      id: newId(now),
      kind: 'operator',
      state: 'accepted',
      toman_per_usd: BigInt(tomanPerUsd),
      sources: [],
      taken_at: now,
      valid_until: validUntil,
    });
    const details = { validUntil: validUntil?.toISOString() ?? null };
    const changed = { tomanPerUsd: [before === undefined ? null : Number(before), tomanPerUsd] } as const;
    await deps.audit.record(tx, actor, { action: 'rate.set', details, changed });
  });
  return { validUntil };
}

/** Rial in place of toman, or a lost digit, would price everything from the next lease on. */
async function requirePlausible(db: Database, order: RateOrder): Promise<void> {
  const { tomanPerUsd, isForced, configuredTomanPerUsd } = order;
  const band = { minToman: await getSetting(db, minExchangeRate), maxToman: await getSetting(db, maxExchangeRate) };
  const lastKnown = (await findLastRate(db)) ?? configuredTomanPerUsd;
  const decided = decideOperatorRate(tomanPerUsd, band, lastKnown);
  if (decided === 'out_of_band') {
    const { minToman, maxToman } = band;
    const settings = 'the settings rate.minToman and rate.maxToman';
    const sentence = `One US dollar is between ${minToman} and ${maxToman} toman here (${settings}).`;
    throw new OperatorMistake('conflict', sentence);
  }
  if (decided === 'jump' && !isForced) {
    const away = `more than ${limits.exchangeRate.jumpPercent} % away from the last known rate, ${lastKnown} toman`;
    throw new OperatorMistake('unconfirmed', `${tomanPerUsd} toman is ${away}.`);
  }
}
