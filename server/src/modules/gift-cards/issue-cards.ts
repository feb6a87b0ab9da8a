import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newBytes, newId } from '../../platform/random.ts';
import type { Vault } from '../../platform/sealed.ts';
import { makeGiftCode, showGiftCode } from './code.ts';
import { type Allowed, insertBatch, insertCards } from './tables.ts';

export const PEPPER_VERSION = 1;

/** The stored form of a code: HMAC under a pepper derived from the master key. */
export function giftCodeHmac(vault: Vault, code: string): Buffer {
  return vault.hmac(`gift-card-${PEPPER_VERSION}`, code);
}

/** The vault context under which a batch's codes are sealed until they are exported. */
export function batchContext(batchId: string): string {
  return `gift_card_batch.codes_sealed ${batchId}`;
}

export interface CardsToIssue {
  readonly count: number;
  readonly usdCents: number;
  readonly note?: string | undefined;
  readonly expiresAt?: Date | undefined;
  readonly keepForExport?: boolean;
  /** Of a member; the machine needs no second one. */
  readonly allowed?: Allowed;
}

interface Issued {
  readonly batchId: string;
  /** In clear, and nowhere else: not to be stored, logged or answered by the console. */
  readonly codes: string[];
}

/** Issues a batch in a transaction of its own; see `insertIssued`. */
export async function issueGiftCards(
  deps: { db: Database; clock: Clock; vault: Vault },
  order: CardsToIssue,
): Promise<Issued> {
  return await inTransaction(deps.db, (tx) => insertIssued(tx, deps, order));
}

/**
 * Makes a batch and returns its codes. They are stored nowhere else, unless `keepForExport` is set: then they stay
 * sealed under the master key until they are exported once.
 */
export async function insertIssued(
  tx: Tx,
  { clock, vault }: { readonly clock: Clock; readonly vault: Vault },
  order: CardsToIssue,
): Promise<Issued> {
  const now = clock.now();
  const batchId = newId(now);
  const codes = Array.from({ length: order.count }, () => makeGiftCode(newBytes));
  const shown = codes.map(showGiftCode);
  const cards = codes.map((code) => ({
    id: newId(now),
    batchId,
    codeHmac: giftCodeHmac(vault, code),
    last4: code.slice(-4),
    faceUsdCents: order.usdCents,
    expiresAt: order.expiresAt ?? null,
  }));
  const codesSealed = order.keepForExport ? vault.seal(shown.join('\n'), batchContext(batchId)) : null;
  await insertBatch(tx, { id: batchId, note: order.note ?? '', codesSealed, allowed: order.allowed }, now);
  await insertCards(tx, cards, PEPPER_VERSION, now);
  return { batchId, codes: shown };
}
