import type { Executor } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import {
  type BatchRow,
  type CardRow,
  selectBatches,
  selectCardsOfBatch,
  selectHasCards,
  selectOutstanding,
} from './tables.ts';

export async function listBatches(db: Executor, now: Date): Promise<BatchRow[]> {
  return await selectBatches(db, now);
}

/** The cards of a batch that exists: no batch is empty. */
export async function listCardsOfBatch(db: Executor, batchId: string, now: Date): Promise<CardRow[]> {
  const cards = await selectCardsOfBatch(db, batchId, now);
  if (cards.length === 0) throw unknownBatch(batchId);
  return cards;
}

/** Number and face value, in US cents, of the cards that may still be redeemed: the liability to their holders. */
export async function outstandingUsdCents(db: Executor, now: Date): Promise<{ cards: number; usdCents: bigint }> {
  return await selectOutstanding(db, now);
}

/** A batch, or one card. */
export type CardChoice = { readonly batchId: string } | { readonly cardId: string };

/** Refuses a batch, or a card, that was never issued. */
export async function requireCards(db: Executor, which: CardChoice): Promise<void> {
  if (await selectHasCards(db, which)) return;
  if ('cardId' in which) throw new OperatorMistake('not-found', `There is no card ${which.cardId}.`);
  throw unknownBatch(which.batchId);
}

export function unknownBatch(batchId: string): OperatorMistake {
  return new OperatorMistake('not-found', `There is no batch ${batchId}.`);
}
