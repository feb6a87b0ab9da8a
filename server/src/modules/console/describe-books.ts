import type { BookMonth, GatewayAccount, Payout, SettlementDifference } from '@raha/contract/admin/books.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import { paymentGateways } from '@raha/contract/payment-gateways.ts';
import type { Database, Executor } from '../../platform/database.ts';
import { getUsers } from '../accounts/users.ts';
import { canBeClosed, type Month } from '../books/close-month.ts';
import { reportClearing } from '../reports/reports.ts';
import { countOpenDifferences, type Difference, listPayouts } from '../settlements/list-settlements.ts';

/** Every gateway that took money or is known, and the newest payouts. */
export async function describeReconciliation(
  db: Database,
): Promise<{ readonly gateways: GatewayAccount[]; readonly payouts: Payout[] }> {
  const clearing = new Map((await reportClearing(db)).map((row) => [row.gateway, row]));
  const open = new Map((await countOpenDifferences(db)).map(({ gateway, count }) => [gateway, count]));
  const gateways = paymentGateways.map((gateway): GatewayAccount => {
    const row = clearing.get(gateway);
    const wire = (amount: bigint | undefined) => toWire(amount ?? 0n);
    return {
      gateway,
      ...{ credited: wire(row?.credited), refunded: wire(row?.refunded), reversed: wire(row?.reversed) },
      ...{ settled: wire(row?.settled), owed: wire(row?.expected), difference: wire(row?.difference) },
      open: open.get(gateway) ?? 0,
    };
  });
  const payouts = (await listPayouts(db, staffLimits.settlements.payouts)).map(
    (row): Payout => ({
      ...{ gateway: row.gateway, payout: row.payout, from: row.from_day, to: row.to_day, lines: Number(row.lines) },
      ...{ bank: toWire(row.bank), fee: toWire(row.fee) },
      ...{ open_lines: Number(row.open_lines), open: toWire(row.open_toman) },
    }),
  );
  return { gateways, payouts };
}

export async function describeDifferences(db: Executor, rows: readonly Difference[]): Promise<SettlementDifference[]> {
  const names = await namesOf(
    db,
    rows.flatMap(({ operator }) => operator ?? []),
  );
  return rows.map((row) => ({
    ...{ id: row.id, gateway: row.gateway, kind: row.kind, state: row.state },
    toman: row.amount_toman === null ? null : toWire(row.amount_toman),
    payment: row.payment_id,
    line: row.line ?? null,
    opened_at: row.opened_at.toISOString(),
    closed_at: row.closed_at?.toISOString() ?? null,
    by: row.operator === null ? null : (names.get(row.operator) ?? row.operator),
    reason: row.reason,
  }));
}

/** Newest first. */
export async function describeMonths(db: Executor, months: readonly Month[], now: Date): Promise<BookMonth[]> {
  const names = await namesOf(
    db,
    months.flatMap(({ closed }) => closed?.operator ?? []),
  );
  return months.toReversed().map((month): BookMonth => {
    const { closed } = month;
    return {
      ...{ month: month.month, from: month.from, to: month.to, can_be_closed: canBeClosed(months, month, now) },
      closed: closed
        ? {
            at: closed.closed_at.toISOString(),
            by: names.get(closed.operator) ?? closed.operator,
            transfers: Number(closed.transfers),
          }
        : null,
    };
  });
}

/** Addresses of members whom the books name by their id; a name given at the command line stands there as it is. */
async function namesOf(db: Executor, operators: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map(
    operators.flatMap((name) => /^staff ([\da-f-]{36})$/.exec(name)?.slice(1) ?? []).map((id) => [id, `staff ${id}`]),
  );
  const users = await getUsers(db, [...ids.keys()]);
  return new Map([...ids].flatMap(([id, name]) => (users.get(id)?.email ? [[name, users.get(id)?.email ?? '']] : [])));
}
