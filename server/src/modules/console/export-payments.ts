import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { PaymentLine } from '@raha/contract/admin/payments.ts';
import type { Locale } from '@raha/contract/locale.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { firstIdOf } from '../../platform/random.ts';
import { listPayments, type PaymentPage } from '../payments/list-payments.ts';
import { describePaymentLines } from './describe-payments.ts';
import { paymentsCsv } from './payments-csv.ts';

export interface PaymentFilters extends Pick<PaymentPage, 'group' | 'gateway'> {
  /** Days of Tehran; both count. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Ids begin with their instant, so the days are ids. `before`: the last id of the page before. */
export function spanOf({ from, to }: PaymentFilters, now: Date, before?: string): Pick<PaymentPage, 'from' | 'before'> {
  const startOf = (day: string) => new Date(`${day}T00:00:00+03:30`);
  // An id cannot hold a time before 1970.
  const idOf = (time: Date) => firstIdOf(new Date(Math.max(0, time.getTime())));
  const end = idOf(to === undefined ? addDays(now, 1) : addDays(startOf(to), 1));
  return {
    from: idOf(from === undefined ? new Date(0) : startOf(from)),
    before: before !== undefined && before < end ? before : end,
  };
}

const PAGE = 1_000;

/** The payments that fit the filters as CSV, newest first, at most as many as a file holds. The audit keeps that it was taken. */
export async function exportPayments(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  actor: Actor,
  filters: PaymentFilters,
  locale: Locale,
): Promise<string> {
  const lines: PaymentLine[] = [];
  const { exported } = staffLimits.payments;
  const span = spanOf(filters, deps.clock.now());
  for (let before: string | undefined = span.before; before !== undefined && lines.length < exported; ) {
    const page: PaymentPage = { ...filters, from: span.from, before, limit: Math.min(PAGE, exported - lines.length) };
    const read = await describePaymentLines(deps.db, await listPayments(deps.db, page));
    lines.push(...read);
    before = read.length === page.limit ? read.at(-1)?.id : undefined;
  }
  const { group = null, gateway = null, from = null, to = null } = filters;
  const details = { group, gateway, from, to, payments: lines.length };
  await inTransaction(deps.db, (tx) => deps.audit.record(tx, actor, { action: 'payments.export', details }));
  return paymentsCsv(lines, locale);
}
