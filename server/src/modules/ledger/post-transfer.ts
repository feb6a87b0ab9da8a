import { type Executor, violatedConstraint } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { decidePosting, type Movement } from './rules.ts';
import { insertTransfer } from './tables.ts';

export type TransferKind =
  | 'wallet_charge'
  | 'gift_card'
  | 'usage'
  | 'refund'
  | 'reversal'
  | 'transfer'
  | 'subscription'
  | 'adjustment'
  | 'settlement'
  | 'vat';

export interface Transfer {
  readonly kind: TransferKind;
  /** The cause; (sourceType, sourceId, purpose) is unique for ever, so that a cause moves money once. */
  readonly sourceType: string;
  readonly sourceId: string;
  readonly purpose: string;
  readonly movements: readonly Movement[];
  /** The day of the books, as YYYY-MM-DD; without it, the day in Tehran on which it is posted. */
  readonly day?: string;
}

/**
 * Writes one balanced transfer. Refuses `insufficient_balance` when a user account would fall below its floor; a second
 * transfer for the same cause violates a unique key and fails the transaction.
 * If `executor` is a pool, the statement is its own transaction.
 */
export async function postTransfer(executor: Executor, transfer: Transfer, now: Date): Promise<string> {
  const { accounts, amounts } = decidePosting(transfer.movements);
  const id = newId(now);
  const { kind, sourceType, sourceId, purpose, day } = transfer;
  try {
    await insertTransfer(executor, { id, kind, sourceType, sourceId, purpose, at: now, day }, accounts, amounts);
  } catch (error) {
    if (violatedConstraint(error) === 'ledger_account_floor') throw new Refusal('insufficient_balance');
    throw error;
  }
  return id;
}
