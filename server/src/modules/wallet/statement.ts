import type { Locale } from '@raha/contract/locale.ts';
import { toWire } from '@raha/contract/money.ts';
import type { StatementDay, statementPart } from '@raha/contract/public/statement.ts';
import type * as z from 'zod/mini';
import type { Executor } from '../../platform/database.ts';
import { listPricedMeters, type PricedMeter } from '../metering/price-parts.ts';
import { splitByPrice } from '../metering/rules.ts';
import { selectActiveDays, selectBounds, selectUsageDays, type UsageDayRow } from './statement-tables.ts';
import { listMovements } from './wallet-lines.ts';

type Part = z.input<typeof statementPart>;

/** The wallet by day, newest first: bytes, price and cost per config, and the other movements. */
export async function readStatement(
  db: Executor,
  userId: string,
  since: Date | undefined,
  page: { number: number; size: number },
  locale: Locale,
): Promise<{ days: StatementDay[]; count: number }> {
  const { days, count } = await selectActiveDays(db, userId, since, page);
  const [last, first] = [days[0], days.at(-1)];
  if (!last || !first) return { days: [], count };
  const span = { first, last };
  const usage = await selectUsageDays(db, userId, span);
  const meters = await listPricedMeters(db, [...new Set(usage.map((row) => row.config_id))]);
  const movements = await listMovements(db, userId, await selectBounds(db, span), locale);
  return { days: days.map((day) => describeDay(day, usage, meters, movements)), count };
}

function describeDay(
  day: string,
  usage: readonly UsageDayRow[],
  meters: ReadonlyMap<string, PricedMeter>,
  movements: Awaited<ReturnType<typeof listMovements>>,
): StatementDay {
  const rows = usage.filter((row) => row.day === day);
  const moved = movements.filter((movement) => movement.day === day).map(({ day: _day, ...movement }) => movement);
  const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);
  return {
    day,
    bytes: toWire(rows.reduce((sum, row) => sum + row.up + row.down, 0n)),
    usage: toWire(rows.reduce((sum, row) => sum + row.charged, 0n)),
    deposits: sumOf(moved.map(({ amount }) => Math.max(0, amount))),
    withdrawals: sumOf(moved.map(({ amount }) => Math.max(0, -amount))),
    configs: rows.map((row) => ({
      config_id: row.config_id,
      name: row.name,
      family: row.guest_name,
      uploaded: toWire(row.up),
      downloaded: toWire(row.down),
      amount: toWire(row.charged),
      transaction_id: row.charged > 0n ? row.line_id : null,
      parts: partsOf(row, meters.get(row.config_id)),
    })),
    movements: moved,
  };
}

/**
 * A day's bytes by price, found by their offset in the config's cumulative bytes. That is exact unless a node once counted
 * beyond a lease; then the day is one part without a price.
 */
function partsOf(row: UsageDayRow, meter: PricedMeter | undefined): Part[] {
  const bytes = row.up + row.down;
  const parts = meter ? splitByPrice(meter.segments, row.upto - bytes, row.upto) : [];
  if (parts.reduce((sum, part) => sum + part.toman, 0n) !== row.charged || meter?.unbilledBytes !== 0n) {
    return [{ bytes: toWire(bytes), price_per_gb: null, covered_by: 'wallet', amount: toWire(row.charged) }];
  }
  return parts.map((part) => ({
    bytes: toWire(part.bytes),
    price_per_gb: Number(part.price) / 1000,
    covered_by: part.subscriptionId ? 'plan' : part.price === 0n ? 'trial' : 'wallet',
    amount: toWire(part.toman),
  }));
}
