import { type GatewayName, gatewayTitles } from '@raha/contract/payment-gateways.ts';
import { foldDigits } from '@raha/contract/persian.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { type Column, columnOf, type Format, formats, unitIn } from './formats.ts';
import { readDay } from './jalali-day.ts';
import { type RecordRow, readRecords, SEPARATORS } from './read-records.ts';
import type { Unit } from './rules.ts';

export interface ReadLine {
  /** Line of the file. */
  readonly number: number;
  readonly reference: string;
  /** The bank's name for the payment, if the file has it beside the reference. */
  readonly session: string | undefined;
  /** Negative: money that went back to a payer. */
  readonly amountRial: bigint;
  readonly feeRial: bigint;
  /** The bank's name for the payment to the operator's account; empty if the file has none. */
  readonly payout: string;
  /** YYYY-MM-DD in Tehran. */
  readonly day: string | undefined;
}

export interface UnreadableLine {
  readonly number: number;
  /** Why, as the end of a sentence. */
  readonly unreadable: string;
  readonly raw: string;
}

export interface SettlementFile {
  readonly lines: readonly (ReadLine | UnreadableLine)[];
  /** Lines that only add up others. */
  readonly totals: number;
  /** First and last day of its lines. */
  readonly days: { readonly from: string; readonly to: string } | undefined;
}

const MAX_LINES = 200_000;
/** A title, a name and a period may stand above the heads. */
const HEAD_WITHIN = 15;
const MAX_TEXT = 100;
const TOTALS = /^(جمع|جمع کل|مجموع|مجموع کل|total|totals|sum)\s*:?$/i;
const BACK = /refund|revers|return|chargeback|استرداد|بازگشت|برگشت|عودت/i;

/**
 * Reads a gateway's settlement file: UTF-8 or UTF-16 text with a head line, separated by commas, semicolons or tabs.
 * Whatever stands in a line is returned, read or with the reason why not. Refuses what is no settlement file of this gateway.
 */
export function readSettlementFile(gateway: GatewayName, bytes: Uint8Array, unit?: Unit): SettlementFile {
  const format = formats[gateway];
  const lines = decode(bytes).split(/\r\n|\n|\r/);
  const head = findHead(lines, format);
  if (!head) throw refusal(gateway, 'No line in it names a reference and an amount.');
  const { separator, columns, at, heads } = head;
  const rows = readRecords(lines, separator).filter(({ number }) => number > at);
  if (rows.length > MAX_LINES) throw refusal(gateway, `It has more than ${MAX_LINES} lines: split it.`);
  const units = unitsOf(columns, heads, unit, format);
  const isTotal = ({ fields }: RecordRow) =>
    fields?.some((field) => TOTALS.test(field)) && !/\d/.test(referenceOf(fields, columns));
  const read = rows.filter((row) => !isTotal(row)).map((row) => readRow(row, columns, heads.length, units));
  const first = read[0];
  if (first && 'unreadable' in first && read.every((line) => 'unreadable' in line))
    throw refusal(gateway, `No line can be read; line ${first.number} ${first.unreadable}.`);
  const days = read.flatMap((line) => ('day' in line && line.day !== undefined ? [line.day] : [])).sort();
  const [from, to] = [days[0], days.at(-1)];
  return { lines: read, totals: rows.length - read.length, days: from && to ? { from, to } : undefined };
}

function refusal(gateway: GatewayName, why: string): OperatorMistake {
  return new OperatorMistake('invalid', `This is no settlement file of ${gatewayTitles[gateway].en}. ${why}`);
}

function decode(bytes: Uint8Array): string {
  const [a, b] = bytes;
  if (a === 0x50 && b === 0x4b)
    throw new OperatorMistake('invalid', 'This is an Excel workbook. Save it as CSV UTF-8 and import that.');
  const encoding = a === 0xff && b === 0xfe ? 'utf-16le' : a === 0xfe && b === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new OperatorMistake('invalid', 'This is no text in UTF-8. Save it as CSV UTF-8 and import that.');
  }
}

type Columns = Partial<Record<Column, number>>;

/** The first line that names a reference and an amount, and the separator by which it names the most. */
function findHead(lines: readonly string[], format: Format) {
  const top = lines.slice(0, HEAD_WITHIN + 5);
  const found = SEPARATORS.flatMap((separator) =>
    readRecords(top, separator)
      .slice(0, HEAD_WITHIN)
      .flatMap(({ number, fields = [] }) => {
        const columns: Columns = {};
        for (const [at, head] of fields.entries()) {
          const column = columnOf(head, format);
          if (column && columns[column] === undefined) columns[column] = at;
        }
        const isHead =
          (columns.reference !== undefined || columns.session !== undefined) &&
          (columns.amount !== undefined || columns.net !== undefined);
        return isHead ? [{ separator, columns, at: number, heads: fields }] : [];
      }),
  );
  return found.sort((a, b) => Object.keys(b.columns).length - Object.keys(a.columns).length || a.at - b.at)[0];
}

type Units = (column: 'amount' | 'fee' | 'net', fields: readonly string[]) => Unit;

/** The operator's word, else the head's, else that of the line's currency, else another head's, else the gateway's. */
function unitsOf(columns: Columns, heads: readonly string[], given: Unit | undefined, format: Format): Units {
  const headUnit = (column: Column) => unitIn(heads[columns[column] ?? -1] ?? '');
  const any = headUnit('amount') ?? headUnit('net') ?? headUnit('fee');
  return (column, fields) =>
    given ?? headUnit(column) ?? unitIn(fields[columns.currency ?? -1] ?? '') ?? any ?? format.unit;
}

function referenceOf(fields: readonly string[], columns: Columns): string {
  const at = (column: Column) => cleanText(fields[columns[column] ?? -1] ?? '');
  const [reference, session] = [at('reference'), at('session')];
  return /^[-–—0]*$/.test(reference) ? session : reference;
}

/** Without what spreadsheets add so that a number stays a text, and without invisible marks. */
function cleanText(text: string): string {
  return foldDigits(text)
    .replace(/[\p{C}\s]+/gu, '')
    .replace(/^="?(.*?)"?$/, '$1')
    .replace(/^'/, '');
}

function readRow(row: RecordRow, columns: Columns, width: number, units: Units): ReadLine | UnreadableLine {
  const { number, raw, fields } = row;
  const unreadable = (why: string) => ({ number, unreadable: why, raw: raw.trim() });
  if (!fields) return unreadable('has a quote that does not end');
  // A separator at the end of each line is a habit of some programs.
  if (fields.slice(width).some((field) => field !== ''))
    return unreadable(`has ${fields.length} fields instead of ${width}`);
  const reference = referenceOf(fields, columns);
  if (reference === '') return unreadable('names no reference');
  if (reference.length > MAX_TEXT) return unreadable('has a reference that is too long');
  if (/^\d[.,]\d+e\+?\d+$/i.test(reference)) return unreadable('has a reference that a spreadsheet has shortened');
  const sums = readSums(fields, columns, units);
  if (typeof sums === 'string') return unreadable(sums);
  const date = cleanDate(fields[columns.date ?? -1] ?? '');
  const day = date === '' ? undefined : readDay(date);
  if (date !== '' && day === undefined) return unreadable('has a date that cannot be read');
  const payout = cleanText(fields[columns.payout ?? -1] ?? '').slice(0, MAX_TEXT);
  const beside = cleanText(fields[columns.session ?? -1] ?? '').slice(0, MAX_TEXT);
  const session = beside === '' || beside === reference ? undefined : beside;
  return { number, reference, session, ...sums, payout, day };
}

const cleanDate = (text: string) =>
  foldDigits(text)
    .replace(/[^\S ]|\p{C}/gu, '')
    .trim();

/** Amount and fee in rial, or what is wrong with them. */
function readSums(fields: readonly string[], columns: Columns, units: Units) {
  const read = (column: 'amount' | 'fee' | 'net') => {
    const text = fields[columns[column] ?? -1] ?? '';
    return /^[\s–—-]*$/.test(text) ? undefined : readRial(text, units(column, fields));
  };
  const [amount, fee, net] = [read('amount'), read('fee'), read('net')];
  for (const [name, value] of Object.entries({ 'an amount': amount, 'a fee': fee, 'a net amount': net }))
    if (value === 'unreadable') return `has ${name} that cannot be read`;
  if (typeof amount !== 'bigint' && typeof net !== 'bigint') return 'names no amount';
  const isBack = BACK.test(fields[columns.type ?? -1] ?? '');
  const signed = (value: bigint) => (isBack && value > 0n ? -value : value);
  const given = typeof fee === 'bigint' ? fee : undefined;
  const gross = typeof amount === 'bigint' ? signed(amount) : signed(net as bigint) + (given ?? 0n);
  if (gross === 0n) return 'has an amount of zero';
  // Some write the fee of a payment as a deduction, with a minus.
  const stated = given ?? 0n;
  if (typeof net !== 'bigint' || typeof amount !== 'bigint')
    return { amountRial: gross, feeRial: gross > 0n && stated < 0n ? -stated : stated };
  const kept = gross - signed(net);
  // Banks write a fee without its sign. One that the payer paid on top leaves the net amount whole.
  const fits = given === undefined || kept === given || kept === -given || kept === 0n;
  return fits ? { amountRial: gross, feeRial: kept } : 'has an amount, a fee and a net amount that do not add up';
}

/** A number with thousands separators; a sign in front or behind, or brackets for a minus. */
function readRial(text: string, unit: Unit): bigint | 'unreadable' {
  const clean = foldDigits(text)
    .replace(/ریال|تومان|تومن|rials?|tomans?|irr|irt/gi, '')
    .replace(/[\p{C}\s'’_]/gu, '')
    .replace(/^="?(.*?)"?$/, '$1')
    .replace(/[−–]/g, '-');
  const isNegative = /^\(.*\)$|^-|-$/.test(clean);
  const bare = clean.replace(/^\((.*)\)$/, '$1').replace(/^[-+]|-$/g, '');
  const parts = /^(\d+|\d{1,3}(?:[,٬،]\d{3})+)(?:[.٫](\d{1,2}))?$/.exec(bare);
  if (!parts) return 'unreadable';
  const [, whole = '', fraction = ''] = parts;
  const digits = whole.replace(/\D/g, '');
  if (digits.length > 15) return 'unreadable';
  // A tenth of a toman is a rial; of a rial there is no part.
  const [tenth = '0', rest = '0'] = fraction.padEnd(2, '0');
  if (rest !== '0' || (unit === 'rial' && tenth !== '0')) return 'unreadable';
  const rial = BigInt(digits) * (unit === 'toman' ? 10n : 1n) + (unit === 'toman' ? BigInt(tenth) : 0n);
  return isNegative ? -rial : rial;
}
