import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Actor, Audit } from '../../platform/audit.ts';
import { tehranDay } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findBulk, listItems } from '../bulk/list-bulks.ts';
import { cell, numericDate } from '../wallet/statement-csv.ts';

const head = ['account', 'act', 'state', 'why', 'at', 'day', 'jalali_day', 'toman'];

/**
 * What became of each user of a bulk as CSV (RFC 4180, with a byte order mark): ids and no names, addresses or numbers. Instants are UTC,
 * days are of Tehran; `toman` is what was paid. The audit keeps that it was taken. Refuses `not_found`.
 */
export async function exportBulk(
  { db, audit }: { readonly db: Database; readonly audit: Audit },
  { actor, id }: { readonly actor: Actor; readonly id: string },
): Promise<string> {
  const bulk = await findBulk(db, id);
  if (!bulk) throw new Refusal('not_found');
  const items = await listItems(db, id, { limit: staffLimits.bulk.most });
  const rows = items.map(({ user_id, state, why, at }) => {
    const day = at && tehranDay(at);
    const toman = state === 'done' && bulk.each_toman !== null ? String(bulk.each_toman) : '';
    const days = [day ?? '', day ? numericDate(day, 'fa') : ''];
    return [user_id, bulk.act, state, why ?? '', at?.toISOString() ?? '', ...days, toman];
  });
  const target = { kind: 'bulk', id } as const;
  await inTransaction(db, (tx) =>
    audit.record(tx, actor, { action: 'bulks.export', target, details: { people: rows.length } }),
  );
  return `\ufeff${[head, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}
