import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { Executor } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { type DeskCard, selectBatch, selectBatchPage, selectCard, selectCardPage } from './desk-tables.ts';
import {
  type BatchRow,
  type CardRow,
  selectBatches,
  selectBatchOf,
  selectCardsOfBatch,
  selectOutstanding,
} from './tables.ts';

export async function listBatches(db: Executor, now: Date): Promise<BatchRow[]> {
  return await selectBatches(db, now);
}

export type { BatchRow as BatchLine, DeskCard };

interface Page<T> {
  readonly rows: T[];
  /** The last id of this page; null: there is no other page. */
  readonly next: string | null;
}

/** Newest first, those before a batch. */
export async function pageBatches(db: Executor, before: string | undefined, now: Date): Promise<Page<BatchRow>> {
  const size = staffLimits.cards.batches;
  return pageOf(await selectBatchPage(db, { before, limit: size + 1 }, now), size);
}

/** The cards of a batch, those after a card. */
export async function pageCards(
  db: Executor,
  { batchId, after }: { readonly batchId: string; readonly after: string | undefined },
  now: Date,
): Promise<Page<DeskCard>> {
  const size = staffLimits.cards.page;
  return pageOf(await selectCardPage(db, { batchId, after, limit: size + 1 }, now), size);
}

function pageOf<T extends { readonly id: string }>(found: readonly T[], size: number): Page<T> {
  const rows = found.slice(0, size);
  return { rows, next: found.length > size ? (rows.at(-1)?.id ?? null) : null };
}

export const findBatch = selectBatch;

export async function findCard(db: Executor, id: string, now: Date): Promise<DeskCard | undefined> {
  return await selectCard(db, { id }, now);
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

/** The batch of what is chosen. Refuses a batch, or a card, that was never issued. */
export async function requireCards(db: Executor, which: CardChoice): Promise<string> {
  const batchId = await selectBatchOf(db, which);
  if (batchId !== undefined) return batchId;
  if ('cardId' in which) throw new OperatorMistake('not-found', `There is no card ${which.cardId}.`);
  throw unknownBatch(which.batchId);
}

export function unknownBatch(batchId: string): OperatorMistake {
  return new OperatorMistake('not-found', `There is no batch ${batchId}.`);
}
