import { limits } from '@raha/contract/limits.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { type RateRow, selectHistory, selectLastReading, selectLastServed } from './tables.ts';

export interface Reading {
  readonly takenAt: Date;
  readonly nextAt: Date;
  readonly sources: RateRow['sources'];
}

/** The last reading of the market, accepted or not. */
export async function findLastReading(db: Executor): Promise<Reading | undefined> {
  const last = await selectLastReading(db);
  return (
    last && {
      takenAt: last.taken_at,
      nextAt: addSeconds(last.taken_at, limits.exchangeRate.refreshMs / 1000),
      sources: last.sources,
    }
  );
}

/** The last accepted rate in toman per US dollar, however old. */
export async function findLastRate(db: Executor): Promise<number | undefined> {
  const last = await selectLastServed(db);
  return last && Number(last.toman_per_usd);
}

/** The history of rates, newest first. */
export async function listRates(db: Executor, limit: number): Promise<RateRow[]> {
  return await selectHistory(db, limit);
}
