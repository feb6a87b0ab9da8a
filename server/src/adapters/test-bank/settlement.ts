import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { FastifyInstance } from 'fastify';
import type { BankDeps } from './serve.ts';
import { listVerified } from './sessions.ts';

/** What a bank writes about one transaction in its settlement file. */
export interface SettlementEntry {
  readonly reference: string;
  readonly session: string;
  /** Negative: it went back to the payer. */
  readonly amountRial: bigint;
  readonly feeRial: bigint;
  readonly payout: string;
  /** YYYY-MM-DD in Tehran. */
  readonly day: string;
}

/**
 * The settlement files of the test banks, in the formats of docs/settlement-files.md: every payment that was verified in the
 * days asked for, and under it what went back of it. A payout is a day's.
 */
export function serveSettlementFile(app: FastifyInstance, deps: BankDeps, gateway: GatewayName): void {
  app.get<{ Querystring: { from?: string; to?: string } }>('/settlement.csv', async (request, reply) => {
    const today = dayOf(deps.clock.now());
    const { from = today, to = from } = request.query;
    if (![from, to].every((day) => /^\d{4}-\d\d-\d\d$/.test(day) && Number.isFinite(Date.parse(day))))
      return reply.code(400).type('text/plain').send('from and to are days such as 2026-11-20');
    const entries = await listSettlement(deps, gateway, { from, to });
    reply.header('content-disposition', `attachment; filename="${gateway}-${from}-${to}.csv"`);
    return reply.type('text/csv; charset=utf-8').send(Buffer.from(writeSettlementFile(gateway, entries)));
  });
}

/** The entries of days, both included. */
export async function listSettlement(
  { db }: Pick<BankDeps, 'db'>,
  gateway: GatewayName,
  days: { readonly from: string; readonly to: string },
): Promise<SettlementEntry[]> {
  const sessions = await listVerified(db, gateway, days);
  return sessions.flatMap(({ reference: session, ref_id, amount_rial, refunded_rial, state, paid_at, created_at }) => {
    const day = dayOf(paid_at ?? created_at);
    const common = {
      reference: ref_id ?? '',
      session,
      day,
      payout: `${gateway[0]?.toUpperCase()}${day.replaceAll('-', '')}`,
    };
    const back = state === 'REVERSED' ? amount_rial : refunded_rial;
    const paid = { ...common, amountRial: amount_rial, feeRial: amount_rial / 100n };
    return back > 0n ? [paid, { ...common, amountRial: -back, feeRial: 0n }] : [paid];
  });
}

const dayOf = (instant: Date) => new Date(instant.getTime() + 3.5 * 3_600_000).toISOString().slice(0, 10);

type Writer = (entries: readonly SettlementEntry[]) => string;

const writers: Readonly<Record<GatewayName, Writer>> = {
  // Persian heads, Jalali days and Persian digits, grouped rial in quotes, a byte order mark.
  zarinpal: (entries) =>
    table('\ufeff', ',', '\r\n', [
      [
        'شماره ارجاع',
        'شناسه پرداخت',
        'تاریخ تراکنش',
        'مبلغ (ریال)',
        'کارمزد (ریال)',
        'مبلغ تسویه (ریال)',
        'شناسه تسویه',
      ],
      ...entries.map((entry) => [
        ...[entry.reference, entry.session, jalali(entry.day), grouped(entry.amountRial), grouped(entry.feeRial)],
        ...[grouped(entry.amountRial - entry.feeRial), entry.payout],
      ]),
    ]),
  // The names of the interface's own fields, rial, Unix seconds, semicolons.
  idpay: (entries) =>
    table('', ';', '\n', [
      ['track_id', 'id', 'date', 'amount', 'wage', 'settlement_track_id'],
      ...entries.map(({ reference, session, day, amountRial, feeRial, payout }) => [
        ...[reference, session, String(Date.parse(`${day}T12:00:00+03:30`) / 1_000), String(amountRial)],
        ...[String(feeRial), payout],
      ]),
    ]),
  // Toman, as everywhere in its interface; returns are named by their type and stand without a sign.
  nextpay: (entries) =>
    table('', '\t', '\n', [
      ['Shaparak_Ref_Id', 'trans_id', 'type', 'amount (toman)', 'fee (toman)', 'date', 'payout'],
      ...entries.map(({ reference, session, day, amountRial, feeRial, payout }) => [
        ...[
          reference,
          session,
          amountRial < 0n ? 'refund' : 'payment',
          toman(amountRial < 0n ? -amountRial : amountRial),
        ],
        ...[toman(feeRial), `${day} 12:00:00`, payout],
      ]),
    ]),
};

export function writeSettlementFile(gateway: GatewayName, entries: readonly SettlementEntry[]): string {
  return writers[gateway](entries);
}

function table(mark: string, separator: string, end: string, rows: readonly (readonly string[])[]): string {
  const cell = (text: string) =>
    text.includes(separator) || text.includes('"') ? `"${text.replaceAll('"', '""')}"` : text;
  return `${mark}${rows.map((row) => row.map(cell).join(separator) + end).join('')}`;
}

const grouped = (value: bigint) => persian(String(value).replace(/\B(?=(\d{3})+$)/g, ','));
const toman = (rial: bigint) => `${rial / 10n}${rial % 10n === 0n ? '' : `.${String(rial % 10n).replace('-', '')}`}`;
const persian = (text: string) => text.replace(/\d/g, (digit) => '۰۱۲۳۴۵۶۷۸۹'[Number(digit)] ?? '');

const calendar = new Intl.DateTimeFormat('fa-IR-u-ca-persian', { timeZone: 'UTC', dateStyle: 'short' });
const jalali = (day: string) => calendar.format(new Date(day));
