import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { insertIssued } from './issue-cards.ts';

interface BatchOrder {
  readonly actor: Actor;
  readonly count: number;
  /** US dollars per card, with at most two decimals, as the operator wrote them. */
  readonly usd: string;
  readonly note?: string | undefined;
  /** The cards' end. */
  readonly expires?: Date | undefined;
  readonly keepForExport: boolean;
}

interface IssuedBatch {
  readonly batchId: string;
  readonly codes: string[];
  readonly usdCents: number;
}

/** The machine issues gift cards; see `insertIssued` for what becomes of their codes. Members do so by `request-batch.ts`. */
export async function issueBatch(
  deps: { readonly db: Database; readonly clock: Clock; readonly vault: Vault; readonly audit: Audit },
  order: BatchOrder,
): Promise<IssuedBatch> {
  const { actor, count, note, expires, keepForExport } = order;
  const usdCents = centsOf(order.usd);
  if (expires && expires <= deps.clock.now())
    throw new OperatorMistake('invalid', 'takes a day that is still to come.', 'expires');
  return await inTransaction(deps.db, async (tx) => {
    const cards = { count, usdCents, note, expiresAt: expires, keepForExport };
    const { batchId, codes } = await insertIssued(tx, deps, cards);
    const details = { count, usdCents, expires: expires?.toISOString() ?? null };
    const target = { kind: 'batch', id: batchId } as const;
    await deps.audit.record(tx, actor, { action: 'gift-cards.issue', target, details });
    return { batchId, usdCents, codes };
  });
}

/** A card's value is kept in whole cents. */
function centsOf(usd: string): number {
  const cents = /^\d{1,5}(\.\d{1,2})?$/.test(usd) ? Math.round(Number(usd) * 100) : 0;
  if (cents < 1 || cents > 1_000_000)
    throw new OperatorMistake('invalid', 'takes whole cents, from 0.01 to 10000.', 'usd');
  return cents;
}
