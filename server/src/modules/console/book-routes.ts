import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import type { bookCalls } from '@raha/contract/admin/books.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { ErrorCode } from '@raha/contract/errors.ts';
import { toWire } from '@raha/contract/money.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { OperatorMistake } from '../accounts/operator-mistake.ts';
import { closeMonth, listMonths, readMonth } from '../books/close-month.ts';
import { exportJournal } from '../ledger/export-journal.ts';
import { importSettlementFile } from '../settlements/import-file.ts';
import { readDifferences } from '../settlements/list-settlements.ts';
import { resolveDifference } from '../settlements/resolve-difference.ts';
import { type AdminHandlers, actorOf, type StaffCaller } from '../staff/admit.ts';
import { holdPermission } from '../staff/standing.ts';
import { describeDifferences, describeMonths, describeReconciliation } from './describe-books.ts';
import { refusing } from './refusing.ts';
import { remember } from './remember.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly minuteLimit: MinuteLimit;
}

/** What gateways owe is a sum over all payments and the ledger, so it is read once for all who look within so many seconds. */
const RECONCILIATION = 60;

/** Settlement files and the months of the books, through the use cases of the command line. */
export function bookRoutes(deps: Deps): AdminHandlers<typeof bookCalls> {
  const { db, clock } = deps;
  const reconciliation = remember(clock, RECONCILIATION, () => describeReconciliation(db));
  return {
    async getReconciliation() {
      const { value, at } = await reconciliation.read();
      return { success: true, data: { at: at.toISOString(), ...value } };
    },
    async importSettlement({ caller, body }) {
      const { name, content, gateway, from, to, unit, all_the_same: isForced } = body;
      const bytes = Buffer.from(content, 'base64');
      if (bytes.length > staffLimits.settlements.fileBytes)
        throw new Refusal('invalid_input', { fields: { content: 'too_long' } });
      const order = { ...byWhom(caller), gateway, name, bytes, from, to, unit, isForced };
      const done = await refusing(codeOfFile, () => importSettlementFile(deps, order));
      reconciliation.forget();
      const { again, lines, newLines, settled, opened, solved } = done;
      return {
        success: true,
        data: { again, lines, new_lines: newLines, from: done.from, to: done.to, settled, opened, solved },
      };
    },
    async listDifferences({ query: { gateway, state, after } }) {
      const { page } = staffLimits.settlements;
      const rows = await readDifferences(db, { gateway, all: state === 'all', after, limit: page + 1 });
      const differences = await describeDifferences(db, rows.slice(0, page));
      return {
        success: true,
        data: { differences, next: rows.length > page ? (differences.at(-1)?.id ?? null) : null },
      };
    },
    async resolveDifference({ caller, params: { id }, body }) {
      const book = body.book === 'nothing' ? undefined : body.book;
      const order = { ...byWhom(caller), id, reason: body.reason, book };
      const { clearing, bank, fee, difference } = await refusing('difference_refused', () =>
        resolveDifference(deps, order),
      );
      reconciliation.forget();
      return {
        success: true,
        data: {
          clearing: toWire(clearing),
          bank: toWire(bank),
          fee: toWire(fee),
          difference: toWire(difference),
        },
      };
    },
    async listBookMonths() {
      const months = await listMonths(deps);
      return { success: true, data: { months: await describeMonths(db, months, clock.now()) } };
    },
    async closeBookMonth({ caller, params: { month }, body: { name, reason } }) {
      if (name !== month) throw new Refusal('month_name_differs');
      const closed = await refusing(codeOfMonth, () => closeMonth(deps, { ...byWhom(caller), month, reason }));
      return { success: true, data: { closed } };
    },
    async exportJournal({ caller, params: { month }, reply }) {
      deps.minuteLimit.take(`staff files of ${caller.userId}`, staffLimits.reports.filesPerMinute);
      const days = await refusing(codeOfMonth, async () => readMonth(month));
      await inTransaction(db, (tx) =>
        deps.audit.record(tx, actorOf(caller), { action: 'reports.export', details: { report: 'journal', month } }),
      );
      return reply
        .type('text/plain; charset=utf-8')
        .header('content-disposition', `attachment; filename="raha-${month}.journal"`)
        .header('cache-control', 'no-store')
        .send(journalOf(db, days));
    },
  };
}

/** A month may be hundreds of megabytes, so it is sent while it is read; who goes away ends the reading. */
function journalOf(db: Database, days: Parameters<typeof exportJournal>[2]): Readable {
  const stream = new PassThrough();
  const gone = new AbortController();
  stream.once('close', () => gone.abort());
  const write = async (part: string) => {
    gone.signal.throwIfAborted();
    if (!stream.write(part)) await once(stream, 'drain', { signal: gone.signal });
  };
  exportJournal(db, write, days).then(
    () => stream.end(),
    (error: Error) => stream.destroy(error),
  );
  return stream;
}

function byWhom(caller: StaffCaller) {
  const actor = actorOf(caller);
  return { actor, stillMay: (tx: Tx) => holdPermission(tx, actor, 'payments.settle') };
}

function codeOfFile({ field, kind }: OperatorMistake): ErrorCode {
  if (field === 'from') return 'settlement_days';
  return kind === 'unconfirmed' ? 'settlement_unlikely' : 'settlement_file';
}

/** A month that has no such name is none. */
function codeOfMonth({ field }: OperatorMistake): ErrorCode {
  return field === 'jalali' ? 'not_found' : 'month_open';
}
