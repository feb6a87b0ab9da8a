import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import type { Executor } from '../../platform/database.ts';
import { getKept, type KeptReading } from '../../platform/settings.ts';
import { decideInForce, findPlanned } from '../../platform/versions.ts';
import { selectNewest, type VersionRow } from './tables.ts';

/** A price of a gigabyte: whole US cents. */
export const centsPerGb = z.int().check(z.gte(0), z.lte(limits.price.mostUsdCentsPerGb));

/** Read for every lease, so processes keep it as they keep settings; which one is in force is decided by the clock each time. */
const newest: KeptReading<readonly VersionRow[]> = { read: selectNewest };

/** US cents for a gigabyte at `now`: the version in force, and before the first one the initial price of the product. */
export async function getCentsPerGb(db: Executor, now: Date): Promise<number> {
  return decideInForce(await getKept(db, newest), now)?.usdCentsPerGb ?? limits.price.usdCentsPerGb;
}

/** The change of the price that waits for its moment. */
export async function findPlannedPrice(db: Executor, now: Date): Promise<VersionRow | undefined> {
  return findPlanned(await getKept(db, newest), now);
}
