import { type GatewayName, paymentGateways } from '@raha/contract/payment-gateways.ts';
import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { getSetting } from '../../platform/settings.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { selectCleared } from '../payments/clearing.ts';
import { bookSums } from './book.ts';
import {
  closeSolved,
  type KnownDifference,
  listDifferences,
  type NewDifference,
  selectKnown,
} from './difference-tables.ts';
import {
  addSums,
  type Decision,
  decideSettlement,
  itemsOf,
  keyOf,
  noSums,
  sumsOfLine,
  suspectFile,
  wholeToman,
} from './rules.ts';
import { settlementGraceDays } from './settings.ts';
import {
  type Coverage,
  insertSettled,
  type LineRow,
  lineOf,
  lockCoverage,
  type Settled,
  selectOpenLines,
  selectSettled,
  updateJudged,
} from './tables.ts';

export interface Reconciled {
  /** Lines that were matched and booked. */
  readonly settled: number;
  /** Differences that are new. */
  readonly opened: number;
  /** Differences that are none any more. */
  readonly solved: number;
}

/** Looks again whether payments, refunds or reversals of ours that came later solve open differences. */
export async function reconcileSettlements(deps: { readonly db: Database; readonly clock: Clock }): Promise<void> {
  for (const gateway of paymentGateways)
    await inTransaction(deps.db, async (tx) => {
      const coverage = await lockCoverage(tx, gateway);
      if (coverage.covered_from) await reconcileGateway(tx, gateway, coverage, { cause: 'books' }, deps.clock.now());
    });
}

/**
 * Compares a gateway's lines that settle nothing yet with our payments, books what fits, one transfer per payout, and lists
 * what does not. The caller has locked the coverage. Only lines and days that are new, and what concerns open differences,
 * are read; the number of statements does not depend on how many there are. Refuses a `doubted` file of which no line fits and
 * that is probably in another unit or not ours.
 */
export async function reconcileGateway(
  tx: Tx,
  gateway: GatewayName,
  coverage: Coverage,
  why: { readonly cause: string; readonly doubted?: string | undefined },
  now: Date,
): Promise<Reconciled> {
  const judged = decideJudged(coverage, await getSetting(tx, settlementGraceDays), now);
  const rows = await selectOpenLines(tx, gateway);
  const known = await selectKnown(tx, gateway);
  const resolved = new Set(known.flatMap(({ state, line_id }) => (state === 'resolved' && line_id ? [line_id] : [])));
  const lines = rows.flatMap((row) => lineOf(row, resolved.has(row.id)) ?? []);
  const payments = await selectCleared(tx, gateway, {
    references: lines.flatMap(({ reference, session }) => (session === null ? reference : [reference, session])),
    ids: known.flatMap(({ payment_id }) => payment_id ?? []),
    times: judged?.added ?? [],
  });
  const itemIds = payments.flatMap((payment) => itemsOf(payment).map(({ id }) => id));
  const settled = new Set((await selectSettled(tx, itemIds)).map(keyOf));
  const decision = decideSettlement({ lines, payments, settled, judged });
  refuseUnlikely(decision, new Set(rows.flatMap(({ id, file_id }) => (file_id === why.doubted ? id : []))));
  await bookMatches(tx, gateway, decision.matches, new Map(rows.map((row) => [row.id, row])), now);
  if (judged) await updateJudged(tx, gateway, judged);
  const listed = [...rows.flatMap((row) => unreadableOf(row, now)), ...differencesOf(decision, now)];
  return { settled: decision.matches.length, ...(await relist(tx, gateway, listed, known, why.cause, now)) };
}

function refuseUnlikely(decision: Decision, ofFile: ReadonlySet<string>): void {
  const found = suspectFile(decision, ofFile);
  if (found === undefined) return;
  const sentence =
    found === 'strangers'
      ? 'No line of it is about a payment of ours: it seems to be of another gateway or another shop.'
      : `No amount fits, and all would in ${found}: say --unit ${found}.`;
  throw new OperatorMistake('unconfirmed', sentence);
}

const startOf = (day: string) => new Date(`${day}T00:00:00+03:30`);

/**
 * The time whose payments every file should have by now: from the first day that a file covers until the days of grace before
 * the last. It only grows; `added` is what was not compared before.
 */
function decideJudged(coverage: Coverage, graceDays: number, now: Date) {
  const { covered_from, covered_to, judged_from, judged_until } = coverage;
  if (!covered_from || !covered_to) return undefined;
  const last = startOf(covered_to) < now ? startOf(covered_to) : now;
  const end = addDays(last, 1 - graceDays);
  const from = startOf(covered_from);
  if (!judged_from || !judged_until)
    return end > from ? { from, until: end, added: [{ from, until: end }] } : undefined;
  const first = from < judged_from ? from : judged_from;
  const until = end > judged_until ? end : judged_until;
  const added = [
    { from: first, until: judged_from },
    { from: judged_until, until },
  ];
  return { from: first, until, added: added.filter((time) => time.from < time.until) };
}

async function bookMatches(
  tx: Tx,
  gateway: GatewayName,
  matches: Decision['matches'],
  rows: ReadonlyMap<string, LineRow>,
  now: Date,
): Promise<void> {
  const payouts = new Map<string, (typeof matches)[number][]>();
  for (const match of matches) {
    const payout = rows.get(match.line.id)?.payout ?? '';
    const known = payouts.get(payout);
    if (known) known.push(match);
    else payouts.set(payout, [match]);
  }
  const settled: Settled[] = [];
  for (const [payout, group] of payouts) {
    const sums = group
      .map(({ line, items }) =>
        sumsOfLine({ amountRial: line.amountRial, feeToman: rows.get(line.id)?.fee_toman ?? 0n }, items),
      )
      .reduce(addSums, noSums);
    const bookingId = await bookSums(tx, { gateway, payout, kind: 'payout', ...sums }, now);
    settled.push(...group.map(({ line, items }) => ({ bookingId, lineId: line.id, items })));
  }
  if (settled.length > 0) await insertSettled(tx, gateway, settled);
}

function unreadableOf(row: LineRow, now: Date): NewDifference[] {
  if (row.unreadable === null) return [];
  const nothing = { item: undefined, paymentId: undefined, amountToman: undefined };
  return [{ id: newId(now), kind: 'unreadable', lineId: row.id, ...nothing }];
}

function differencesOf(decision: Decision, now: Date): NewDifference[] {
  const ofLines = decision.lines.map(({ line, kind, payment }) => ({
    id: newId(now),
    kind,
    lineId: line.id,
    item: undefined,
    paymentId: payment?.id,
    amountToman: wholeToman(line.amountRial),
  }));
  const ofItems = decision.items.map(({ item, kind }) => ({
    id: newId(now),
    kind,
    lineId: undefined,
    item,
    paymentId: item.paymentId,
    amountToman: item.amountToman,
  }));
  return [...ofLines, ...ofItems];
}

async function relist(
  tx: Tx,
  gateway: GatewayName,
  listed: readonly NewDifference[],
  known: readonly KnownDifference[],
  cause: string,
  now: Date,
): Promise<{ opened: number; solved: number }> {
  const subjects = new Set(listed.map(subjectOf));
  const before = new Map(known.map((row) => [subjectOfRow(row), row]));
  const changed = listed.filter((difference) => {
    const row = before.get(subjectOf(difference));
    return (
      !row ||
      (row.state === 'open' && (row.kind !== difference.kind || row.payment_id !== (difference.paymentId ?? null)))
    );
  });
  const solved = known.filter((row) => row.state === 'open' && !subjects.has(subjectOfRow(row)));
  await listDifferences(tx, gateway, changed, now);
  if (solved.length > 0)
    await closeSolved(
      tx,
      solved.map(({ id }) => id),
      cause,
      now,
    );
  return { opened: changed.filter((difference) => !before.has(subjectOf(difference))).length, solved: solved.length };
}

const subjectOf = ({ lineId, item }: NewDifference) => lineId ?? (item ? keyOf(item) : '');
const subjectOfRow = ({ line_id, item_kind, item_id }: KnownDifference) =>
  line_id ?? keyOf({ kind: item_kind ?? 'payment', id: item_id ?? '' });
