import { limits } from '@raha/contract/limits.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { type RateRow, selectHistory, selectLastReading, selectLastServed } from './tables.ts';

export interface Reading {
  readonly takenAt: Date;
  readonly nextAt: Date;
  readonly sources: RateRow['sources'];
}

/** The last reading of the market, whatever came of it. */
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

/** Toman per US dollar as it was known last, however long ago. */
export async function findLastRate(db: Executor): Promise<number | undefined> {
  const last = await selectLastServed(db);
  return last && Number(last.toman_per_usd);
}

/** Rates as they were, newest first. */
export async function listRates(db: Executor, limit: number): Promise<RateRow[]> {
  return await selectHistory(db, limit);
}
