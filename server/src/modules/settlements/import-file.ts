import { createHash } from 'node:crypto';
import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { type Actor, type Audit, describeActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { type ReadLine, readSettlementFile, type SettlementFile } from './read-file.ts';
import { reconcileGateway } from './reconcile.ts';
import { roundFees, type Unit } from './rules.ts';
import { insertFile, insertLines, lockCoverage, type NewLine, selectFile, updateCovered } from './tables.ts';

export interface ImportOrder {
  readonly actor: Actor;
  readonly gateway: GatewayName;
  /** What the operator calls the file. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The days that it covers, YYYY-MM-DD; those of its lines by default. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** What its amounts are in, if the file does not say it and the gateway's own unit is wrong. */
  readonly unit?: Unit | undefined;
  /** Asked in the transaction: whether the actor still may. */
  readonly stillMay?: ((tx: Tx) => Promise<void>) | undefined;
  /** Import it although no line fits and all look as if they were in another unit, or nobody's. */
  readonly isForced?: boolean | undefined;
}

export interface Imported {
  readonly file: string;
  /** The very same file was imported before: nothing was done. */
  readonly again: boolean;
  readonly lines: number;
  /** Lines that no earlier file had. */
  readonly newLines: number;
  readonly totals: number;
  readonly from: string;
  readonly to: string;
  /** Lines that were matched and booked by this import, its own and earlier ones. */
  readonly settled: number;
  readonly opened: number;
  readonly solved: number;
}

/**
 * Imports a gateway's settlement file in one transaction: new lines are kept, matched with our payments and booked, and what
 * differs is listed. The same file, and lines that an earlier file had, change nothing. Refuses what is no settlement file,
 * one without dates unless its days are given, and one that is probably in another unit or not ours unless it is forced.
 */
export async function importSettlementFile(
  deps: { readonly db: Database; readonly clock: Clock; readonly audit: Audit },
  order: ImportOrder,
): Promise<Imported> {
  const { gateway, name, actor } = order;
  const read = readSettlementFile(gateway, order.bytes, order.unit);
  const [from, to] = [order.from ?? read.days?.from, order.to ?? read.days?.to];
  if (!from || !to) throw new OperatorMistake('invalid', 'and --to are needed: the file has no dates.', 'from');
  if (from > to)
    throw new OperatorMistake('invalid', `leaves no day: it is ${from}, and the last one is ${to}.`, 'from');
  const sha256 = createHash('sha256').update(order.bytes).digest();
  return await inTransaction(deps.db, async (tx): Promise<Imported> => {
    const now = deps.clock.now();
    await order.stillMay?.(tx);
    await lockCoverage(tx, gateway);
    const before = await selectFile(tx, gateway, sha256);
    const nothing = { totals: read.totals, settled: 0, opened: 0, solved: 0 };
    if (before) {
      const { id: file, lines, covers_from, covers_to } = before;
      return { ...nothing, file, again: true, lines, newLines: 0, from: covers_from, to: covers_to };
    }
    const file = newId(now);
    const lines = read.lines.length;
    const days = { from, to };
    await insertFile(tx, { id: file, gateway, sha256, name, lines, days, actor: describeActor(actor) }, now);
    const newLines = await insertLines(tx, gateway, file, linesOf(read, now));
    await updateCovered(tx, gateway, days);
    const why = { cause: `file ${file}`, doubted: order.isForced ? undefined : file };
    const reconciled = await reconcileGateway(tx, gateway, await lockCoverage(tx, gateway), why, now);
    await deps.audit.record(tx, actor, { action: 'settlements.import', details: { gateway, file, newLines } });
    return { ...nothing, ...reconciled, file, again: false, lines, newLines, ...days };
  });
}

/**
 * The lines as they are stored. Two lines that say the same are told apart by their order in the file, so that one that stands
 * twice in a file is doubled, and one that stands in two files is the same.
 */
function linesOf(read: SettlementFile, now: Date): NewLine[] {
  const fees = feesByPayout(read);
  const seen = new Map<string, number>();
  return read.lines.map((line) => {
    const text =
      'unreadable' in line
        ? `unreadable\n${line.raw}`
        : [line.reference, line.amountRial, line.feeRial, line.payout].join('\n');
    const digest = createHash('sha256').update(text).digest('hex');
    const occurrence = (seen.get(digest) ?? 0) + 1;
    seen.set(digest, occurrence);
    const common = { id: newId(now), number: line.number, digest, occurrence };
    if ('unreadable' in line) {
      const nothing = {
        reference: null,
        session: null,
        amountRial: null,
        feeRial: null,
        feeToman: null,
        payout: '',
        day: null,
      };
      return { ...common, ...nothing, unreadable: line.unreadable };
    }
    const { reference, session = null, amountRial, feeRial, payout, day = null } = line;
    return {
      ...common,
      unreadable: null,
      reference,
      session,
      amountRial,
      feeRial,
      feeToman: fees.get(line) ?? 0n,
      payout,
      day,
    };
  });
}

function feesByPayout(read: SettlementFile): Map<ReadLine, bigint> {
  const payouts = new Map<string, ReadLine[]>();
  for (const line of read.lines) {
    if ('unreadable' in line) continue;
    const group = payouts.get(line.payout);
    if (group) group.push(line);
    else payouts.set(line.payout, [line]);
  }
  return new Map(
    [...payouts.values()].flatMap((group) => {
      const fees = roundFees(group.map(({ feeRial }) => feeRial));
      return group.map((line, at) => [line, fees[at] ?? 0n] as const);
    }),
  );
}
