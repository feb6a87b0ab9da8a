import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { batchContext } from './issue-cards.ts';
import {
  type BatchRow,
  type CardRow,
  lockBatchCodes,
  selectBatches,
  selectCardsOfBatch,
  selectHasCards,
  selectOutstanding,
  updateExpiry,
  updateExported,
  updateVoid,
} from './tables.ts';

/** The operator's actions on existing cards. Redeemed cards never change. */

export async function listBatches(db: Executor, now: Date): Promise<BatchRow[]> {
  return await selectBatches(db, now);
}

export async function listCardsOfBatch(db: Executor, batchId: string, now: Date): Promise<CardRow[]> {
  return await selectCardsOfBatch(db, batchId, now);
}

/** Number and face value, in US cents, of the cards that may still be redeemed: the liability to their holders. */
export async function outstandingUsdCents(db: Executor, now: Date): Promise<{ cards: number; usdCents: bigint }> {
  return await selectOutstanding(db, now);
}

/** Whether this batch or card was ever issued. */
export async function hasCards(db: Executor, which: { batchId: string } | { cardId: string }): Promise<boolean> {
  return await selectHasCards(db, which);
}

/** Voids the unredeemed cards of a batch, or one card, permanently. Returns how many. */
export async function voidCards(
  deps: { db: Database; clock: Clock },
  which: { batchId: string } | { cardId: string },
): Promise<number> {
  return await updateVoid(deps.db, which, deps.clock.now());
}

/** Changes the expiry of a batch's unredeemed cards: earlier, later, or now. Returns how many. */
export async function expireCards(deps: { db: Database }, batchId: string, at: Date): Promise<number> {
  return await updateExpiry(deps.db, batchId, at);
}

export type Export = 'exported' | 'unknown-batch' | 'already-exported';

/**
 * Passes the codes of a batch to `write` once. The sealed copy is erased only after `write` has returned, in the
 * transaction that locks the batch: after a crash in between the codes can still be exported, and of two concurrent
 * exports only one gets them.
 */
export async function exportBatch(
  deps: { db: Database; clock: Clock; vault: Vault },
  batchId: string,
  write: (codes: readonly string[]) => Promise<void>,
): Promise<Export> {
  return await inTransaction(deps.db, async (tx) => {
    const batch = await lockBatchCodes(tx, batchId);
    if (!batch) return 'unknown-batch';
    if (batch.codes_sealed === null) return 'already-exported';
    await write(deps.vault.open(batch.codes_sealed, batchContext(batchId)).split('\n'));
    await updateExported(tx, batchId, deps.clock.now());
    return 'exported';
  });
}
