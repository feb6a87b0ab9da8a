import { limits } from '@raha/contract/limits.ts';
import type { invoices } from '@raha/contract/public/invoices.ts';
import type { Database } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { requireActive, type SignedInCaller } from '../sessions/caller.ts';
import { describeDocument } from './describe-document.ts';
import { renderDocument } from './render-document.ts';
import { numberOf } from './rules.ts';
import { selectDocuments, selectOwnDocument } from './tables.ts';

export function invoiceRoutes(deps: {
  db: Database;
  minuteLimit: MinuteLimit;
}): Handlers<typeof invoices, SignedInCaller, unknown> {
  return {
    async listInvoices({ caller, query, locale }) {
      const [year = 0, number = 0] = query.before?.split('-').map(Number) ?? [];
      const before = query.before === undefined ? undefined : { year, number };
      // One more than is shown says whether there are older ones.
      const found = await selectDocuments(deps.db, requireActive(caller.user).id, before, query.per_page + 1);
      const shown = found.slice(0, query.per_page);
      const last = shown.at(-1);
      const next = found.length > shown.length && last ? numberOf(last) : null;
      return { success: true, data: { invoices: shown.map((row) => describeDocument(row, locale)), next } };
    },
    async downloadInvoice({ params, caller, reply }) {
      const user = requireActive(caller.user);
      const document = await selectOwnDocument(deps.db, user.id, params.id);
      if (!document) throw new Refusal('not_found');
      deps.minuteLimit.take(`files of ${user.id}`, limits.http.filesPerMinute);
      const pdf = await renderDocument(deps.db, document, user);
      return reply
        .type('application/pdf')
        .header('content-disposition', `attachment; filename="raha-${numberOf(document)}.pdf"`)
        .header('cache-control', 'no-store')
        .send(pdf);
    },
  };
}
