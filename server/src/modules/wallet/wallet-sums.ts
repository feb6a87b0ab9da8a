import { toWire } from '@raha/contract/money.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { sumByType } from './sum-tables.ts';

/** The start of a period such as `30d`; undefined for `all`. */
export function beginOf(period: string, now: Date): Date | undefined {
  return period === 'all' ? undefined : addDays(now, -Number(period.slice(0, -1)));
}

/** The sums of a period as the API returns them. */
export async function describeSums(db: Executor, userId: string, since: Date | undefined) {
  const types = await sumByType(db, userId, since);
  const total = (pick: (sum: (typeof types)[number]) => bigint) =>
    toWire(types.reduce((sum, type) => sum + pick(type), 0n));
  return {
    totalDeposits: total((type) => type.deposits),
    totalWithdrawals: total((type) => type.withdrawals),
    totalTransactions: types.reduce((sum, type) => sum + type.lines, 0),
    byType: types.map(({ type, deposits, withdrawals, lines }) => ({
      type,
      amount: toWire(deposits - withdrawals),
      count: lines,
    })),
  };
}
