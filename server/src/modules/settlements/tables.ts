import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import type { Item, Line, Sums } from './rules.ts';

/** The only file that names `settlement_coverage`, `settlement_file`, `settlement_line`, `settlement_booking` and `settled_item`. */
export interface Coverage {
  readonly covered_from: string | null;
  readonly covered_to: string | null;
  readonly judged_from: Date | null;
  readonly judged_until: Date | null;
}

/** Locks a gateway's settlement: imports, resolutions and the schedule do one after another. */
export async function lockCoverage(tx: Tx, gateway: GatewayName): Promise<Coverage> {
  await sql`INSERT INTO settlement_coverage (gateway) VALUES (${gateway}) ON CONFLICT DO NOTHING`.execute(tx);
  const { rows } = await sql<Coverage>`
    SELECT covered_from::text, covered_to::text, judged_from, judged_until FROM settlement_coverage
    WHERE gateway = ${gateway} FOR UPDATE
  `.execute(tx);
  return rows[0] as Coverage;
}

export async function updateCovered(tx: Tx, gateway: GatewayName, days: { from: string; to: string }): Promise<void> {
  await sql`
    UPDATE settlement_coverage SET covered_from = least(covered_from, ${days.from}::date),
      covered_to = greatest(covered_to, ${days.to}::date) WHERE gateway = ${gateway}
  `.execute(tx);
}

export async function updateJudged(tx: Tx, gateway: GatewayName, judged: { from: Date; until: Date }): Promise<void> {
  await sql`
    UPDATE settlement_coverage SET judged_from = ${judged.from}, judged_until = ${judged.until} WHERE gateway = ${gateway}
  `.execute(tx);
}

export interface FileRow {
  readonly id: string;
  readonly name: string;
  readonly lines: number;
  readonly new_lines: number;
  readonly covers_from: string;
  readonly covers_to: string;
  readonly imported_at: Date;
}

export async function selectFile(tx: Tx, gateway: GatewayName, sha256: Buffer): Promise<FileRow | undefined> {
  const { rows } = await sql<FileRow>`
    SELECT id, name, lines, new_lines, covers_from::text, covers_to::text, imported_at FROM settlement_file
    WHERE gateway = ${gateway} AND sha256 = ${sha256}
  `.execute(tx);
  return rows[0];
}

export async function insertFile(
  tx: Tx,
  file: {
    readonly id: string;
    readonly gateway: GatewayName;
    readonly sha256: Buffer;
    readonly name: string;
    readonly lines: number;
    readonly days: { readonly from: string; readonly to: string };
    readonly actor: string;
  },
  now: Date,
): Promise<void> {
  const { id, gateway, sha256, name, lines, days, actor } = file;
  await sql`
    INSERT INTO settlement_file (id, gateway, sha256, name, lines, new_lines, covers_from, covers_to, actor, imported_at)
    VALUES (${id}, ${gateway}, ${sha256}, ${name}, ${lines}, 0, ${days.from}::date, ${days.to}::date, ${actor}, ${now})
  `.execute(tx);
}

/** The days that each file covers which was imported from that instant on. */
export async function selectCoveredSince(
  db: Executor,
  since: Date,
): Promise<{ readonly gateway: GatewayName; readonly from: string; readonly to: string }[]> {
  const { rows } = await sql<{ gateway: GatewayName; from: string; to: string }>`
    SELECT gateway, covers_from::text AS "from", covers_to::text AS "to" FROM settlement_file WHERE imported_at >= ${since}
  `.execute(db);
  return rows;
}

export interface NewLine {
  readonly id: string;
  readonly number: number;
  readonly digest: string;
  readonly occurrence: number;
  readonly unreadable: string | null;
  readonly reference: string | null;
  readonly session: string | null;
  readonly amountRial: bigint | null;
  readonly feeRial: bigint | null;
  readonly feeToman: bigint | null;
  readonly payout: string;
  readonly day: string | null;
}

/** Adds the lines that no earlier file had, and returns how many they were. */
export async function insertLines(
  tx: Tx,
  gateway: GatewayName,
  fileId: string,
  lines: readonly NewLine[],
): Promise<number> {
  const texts = (of: (line: NewLine) => bigint | string | null) =>
    lines.map((line) => of(line)).map((value) => (value === null ? null : String(value)));
  const { rows } = await sql<{ count: bigint }>`
    WITH added AS (
      INSERT INTO settlement_line (id, gateway, file_id, line_number, digest, occurrence, unreadable, reference,
        session, amount_rial, fee_rial, fee_toman, payout, day)
      SELECT id, ${gateway}, ${fileId}, number, decode(digest, 'hex'), occurrence, unreadable, reference,
        session, amount_rial, fee_rial, fee_toman, payout, day
      FROM unnest(${texts(({ id }) => id)}::uuid[], ${lines.map(({ number }) => number)}::integer[],
        ${texts(({ digest }) => digest)}::text[], ${lines.map(({ occurrence }) => occurrence)}::integer[],
        ${texts(({ unreadable }) => unreadable)}::text[], ${texts(({ reference }) => reference)}::text[],
        ${texts(({ session }) => session)}::text[],
        ${texts(({ amountRial }) => amountRial)}::bigint[], ${texts(({ feeRial }) => feeRial)}::bigint[],
        ${texts(({ feeToman }) => feeToman)}::bigint[], ${texts(({ payout }) => payout)}::text[],
        ${texts(({ day }) => day)}::date[])
        AS i (id, number, digest, occurrence, unreadable, reference, session, amount_rial, fee_rial, fee_toman, payout, day)
      ON CONFLICT (gateway, digest, occurrence) DO NOTHING RETURNING 1
    ), counted AS (SELECT count(*) AS count FROM added)
    SELECT count FROM counted
  `.execute(tx);
  const count = Number(rows[0]?.count ?? 0n);
  await sql`UPDATE settlement_file SET new_lines = ${count} WHERE id = ${fileId}`.execute(tx);
  return count;
}

export interface LineRow {
  readonly id: string;
  readonly file_id: string;
  readonly line_number: number;
  readonly occurrence: number;
  readonly unreadable: string | null;
  readonly reference: string | null;
  readonly session: string | null;
  readonly amount_rial: bigint | null;
  readonly fee_rial: bigint | null;
  readonly fee_toman: bigint | null;
  readonly payout: string;
}

/** Lines that settle nothing, in the order in which they were imported. */
export async function selectOpenLines(tx: Tx, gateway: GatewayName): Promise<LineRow[]> {
  const { rows } = await sql<LineRow>`
    SELECT id, file_id, line_number, occurrence, unreadable, reference, session, amount_rial, fee_rial, fee_toman, payout
    FROM settlement_line WHERE gateway = ${gateway} AND booking_id IS NULL ORDER BY file_id, line_number
  `.execute(tx);
  return rows;
}

export async function selectSettled(tx: Tx, ids: readonly string[]): Promise<{ kind: Item['kind']; id: string }[]> {
  const { rows } = await sql<{ kind: Item['kind']; id: string }>`
    SELECT kind, item_id AS id FROM settled_item WHERE item_id = ANY (${ids}::uuid[])
  `.execute(tx);
  return rows;
}

export interface Booking extends Sums {
  readonly id: string;
  readonly gateway: GatewayName;
  readonly payout: string;
  readonly kind: 'payout' | 'resolution';
}

export async function insertBooking(tx: Tx, booking: Booking, now: Date): Promise<void> {
  const { id, gateway, payout, kind, clearing, bank, fee, difference } = booking;
  await sql`
    INSERT INTO settlement_booking (id, gateway, payout, kind, clearing_toman, bank_toman, fee_toman, difference_toman, created_at)
    VALUES (${id}, ${gateway}, ${payout}, ${kind}, ${clearing}, ${bank}, ${fee}, ${difference}, ${now})
  `.execute(tx);
}

export interface Settled {
  readonly bookingId: string;
  readonly lineId: string | undefined;
  readonly items: readonly Item[];
}

/** Writes which lines and items a booking settles. */
export async function insertSettled(tx: Tx, gateway: GatewayName, settled: readonly Settled[]): Promise<void> {
  const withLine = settled.filter(({ lineId }) => lineId !== undefined);
  await sql`
    UPDATE settlement_line l SET booking_id = i.booking_id
    FROM unnest(${withLine.map(({ lineId }) => lineId)}::uuid[], ${withLine.map(({ bookingId }) => bookingId)}::uuid[])
      AS i (id, booking_id) WHERE l.id = i.id AND l.booking_id IS NULL
  `.execute(tx);
  const items = settled.flatMap(({ bookingId, lineId, items }) =>
    items.map((item) => ({ ...item, bookingId, lineId })),
  );
  await sql`
    INSERT INTO settled_item (kind, item_id, gateway, amount_toman, booking_id, line_id)
    SELECT kind, item_id, ${gateway}, amount_toman, booking_id, line_id
    FROM unnest(${items.map(({ kind }) => kind)}::text[], ${items.map(({ id }) => id)}::uuid[],
      ${items.map(({ amountToman }) => String(amountToman))}::bigint[], ${items.map(({ bookingId }) => bookingId)}::uuid[],
      ${items.map(({ lineId }) => lineId ?? null)}::uuid[]) AS i (kind, item_id, amount_toman, booking_id, line_id)
  `.execute(tx);
}

export interface PayoutRow {
  readonly gateway: GatewayName;
  readonly payout: string;
  readonly from_day: string | null;
  readonly to_day: string | null;
  readonly lines: bigint;
  /** Toman that left clearing, arrived at the bank and was kept by the bank. */
  readonly settled: bigint;
  readonly bank: bigint;
  readonly fee: bigint;
  /** Lines that are not booked, and what they would bring: amount less fee. */
  readonly open_lines: bigint;
  readonly open_toman: bigint;
}

/** The payouts of the files, newest first, at most `limit` of them, with what of them is in the books. */
export async function selectPayouts(db: Executor, limit?: number): Promise<PayoutRow[]> {
  const { rows } = await sql<PayoutRow>`
    SELECT l.gateway, l.payout, min(l.day)::text AS from_day, max(l.day)::text AS to_day, count(*) AS lines,
      coalesce(max(b.settled), 0)::bigint AS settled, coalesce(max(b.bank), 0)::bigint AS bank,
      coalesce(max(b.fee), 0)::bigint AS fee, count(*) FILTER (WHERE l.booking_id IS NULL) AS open_lines,
      coalesce(sum(l.amount_rial / 10 - l.fee_toman) FILTER (WHERE l.booking_id IS NULL), 0)::bigint AS open_toman
    FROM settlement_line l
    LEFT JOIN (
      SELECT gateway, payout, sum(clearing_toman) AS settled, sum(bank_toman) AS bank, sum(fee_toman) AS fee
      FROM settlement_booking GROUP BY gateway, payout
    ) b ON b.gateway = l.gateway AND b.payout = l.payout
    GROUP BY l.gateway, l.payout ORDER BY max(l.day) DESC NULLS LAST, l.gateway, l.payout
    LIMIT ${limit ?? null}::integer
  `.execute(db);
  return rows;
}

/** What is settled of each gateway's payments, less refunds and reversals. */
export async function selectSettledSums(db: Executor): Promise<Map<string, bigint>> {
  const { rows } = await sql<{ gateway: string; settled: bigint }>`
    SELECT gateway, sum(amount_toman)::bigint AS settled FROM settled_item GROUP BY gateway
  `.execute(db);
  return new Map(rows.map(({ gateway, settled }) => [gateway, settled]));
}

export function lineOf(row: LineRow, isResolved: boolean): Line | undefined {
  const { id, occurrence, reference, session, amount_rial: amountRial, fee_rial: feeRial } = row;
  if (reference === null || amountRial === null || feeRial === null) return undefined;
  return { id, occurrence, reference, session, amountRial, feeRial, isResolved };
}

export interface LineSource {
  readonly id: string;
  readonly name: string;
  readonly line_number: number;
  readonly reference: string | null;
  readonly unreadable: string | null;
}

/** Where lines stand: the name of the file in which they came first, and their line in it. */
export async function selectLines(db: Executor, ids: readonly string[]): Promise<Map<string, LineSource>> {
  const { rows } = await sql<LineSource>`
    SELECT l.id, f.name, l.line_number, l.reference, l.unreadable
    FROM settlement_line l JOIN settlement_file f ON f.id = l.file_id WHERE l.id = ANY (${ids}::uuid[])
  `.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface SettledRow {
  readonly kind: Item['kind'];
  readonly amount_toman: bigint;
  readonly payout: string;
  readonly booked_at: Date;
  /** Where the line stands; null if an operator settled it without one. */
  readonly file: string | null;
  readonly line_number: number | null;
}

/** In which lines of settlement files these payments, refunds and reversals stand. */
export async function selectSettledItems(db: Executor, ids: readonly string[]): Promise<SettledRow[]> {
  const kinds: Item['kind'][] = ['payment', 'refund', 'reversal'];
  const { rows } = await sql<SettledRow>`
    SELECT i.kind, i.amount_toman, b.payout, b.created_at AS booked_at, f.name AS file, l.line_number
    FROM settled_item i JOIN settlement_booking b ON b.id = i.booking_id
    LEFT JOIN settlement_line l ON l.id = i.line_id LEFT JOIN settlement_file f ON f.id = l.file_id
    WHERE i.kind = ANY (${kinds}::text[]) AND i.item_id = ANY (${ids}::uuid[]) ORDER BY b.created_at, i.kind
  `.execute(db);
  return rows;
}
