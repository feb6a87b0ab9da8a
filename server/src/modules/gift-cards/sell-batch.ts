import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { requireCards } from './list-cards.ts';
import {
  type CardPayment,
  divideAmongCards,
  insertCardPayment,
  insertSale,
  lockOwed,
  type SaleRow,
  selectSales,
} from './sale-tables.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Who records it, and why; both are kept. */
interface Given {
  readonly actor: Actor;
  readonly operator: string;
  readonly reason: string;
  readonly batchId: string;
  readonly toman: bigint;
}

/**
 * A batch was sold: what its buyer owes is a liability to those who will redeem the cards that can still be redeemed. Refuses
 * an unknown batch, one that is sold already, and one of which nothing can be redeemed. Returns how many cards were sold.
 */
export async function sellBatch(deps: Deps, request: Given & { readonly buyer: string }): Promise<number> {
  const { batchId, toman, buyer, reason, operator } = request;
  await requireCards(deps.db, { batchId });
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    if (!(await insertSale(tx, { batchId, buyer, toman, reason, operator }, now)))
      throw new OperatorMistake('conflict', `The batch ${batchId} is sold already.`);
    const count = await divideAmongCards(tx, batchId, toman, now);
    if (count === 0) throw new OperatorMistake('conflict', `No card of the batch ${batchId} can be redeemed any more.`);
    const movements = [
      { accountId: house.cardReceivable, amountToman: -toman },
      { accountId: house.cardLiability, amountToman: toman },
    ];
    const cause = { kind: 'gift_card', sourceType: 'gift_card_sale', sourceId: batchId, purpose: 'sell' } as const;
    await postTransfer(tx, { ...cause, movements }, now);
    await record(tx, deps, request, 'gift-cards.sell', { cards: count });
    return count;
  });
}

/**
 * The buyer of a batch has paid into the bank account, or will not pay any more. Refuses a batch that was not sold, and more
 * than is owed. Returns what is still owed.
 */
export async function settleSale(deps: Deps, request: Given & Pick<CardPayment, 'kind'>): Promise<bigint> {
  const { batchId, toman, kind, reason, operator } = request;
  return await inTransaction(deps.db, async (tx) => {
    const now = deps.clock.now();
    const owed = await lockOwed(tx, batchId);
    if (owed === undefined) throw new OperatorMistake('not-found', `The batch ${batchId} was not sold.`);
    if (toman > owed) throw new OperatorMistake('conflict', `For the batch ${batchId} ${owed} toman are owed.`);
    const id = newId(now);
    await insertCardPayment(tx, { id, batchId, kind, toman, reason, operator }, now);
    const movements = [
      { accountId: kind === 'paid' ? house.bank : house.writeOff, amountToman: -toman },
      { accountId: house.cardReceivable, amountToman: toman },
    ];
    const cause = { kind: 'gift_card', sourceType: 'gift_card_payment', sourceId: id, purpose: kind } as const;
    await postTransfer(tx, { ...cause, movements }, now);
    await record(tx, deps, request, 'gift-cards.settle', { kind });
    return owed - toman;
  });
}

async function record(
  tx: Tx,
  { audit }: Deps,
  { actor, operator, reason, batchId, toman }: Given,
  action: string,
  details: Readonly<Record<string, string | number>>,
): Promise<void> {
  const target = { kind: 'batch', id: batchId } as const;
  await audit.record(tx, actor, { action, target, operator, reason, details: { ...details, toman: Number(toman) } });
}

/** The batches that were sold, and what became of their cards and of their price. */
export async function listSales(db: Executor): Promise<SaleRow[]> {
  return await selectSales(db);
}
