import type { PaymentLine } from '@raha/contract/admin/payments.ts';
import type { Locale } from '@raha/contract/locale.ts';
import { tehranDay } from '../../platform/clock.ts';
import { cell, numericDate } from '../wallet/statement-csv.ts';

const head = [
  ...['payment', 'account', 'gateway', 'toman', 'state', 'waits', 'refund', 'reversed'],
  ...['began', 'began_day', 'settled'],
];

/** Payments as CSV (RFC 4180, with a byte order mark), newest first: ids and no names, addresses or numbers of people. Instants are UTC, days are of Tehran. */
export function paymentsCsv(lines: readonly PaymentLine[], locale: Locale): string {
  const rows = lines.map((line) => [
    ...[line.id, line.user.id, line.gateway, line.amount, line.state, line.waits ? 'yes' : 'no'],
    ...[line.refund ?? '', line.reversed ? 'yes' : 'no', line.created_at],
    ...[numericDate(tehranDay(new Date(line.created_at)), locale), line.settled_at ?? ''],
  ]);
  return `\ufeff${[head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}
