import type { Tx } from '../../platform/database.ts';
import { house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { insertUnearned, takeUnearned } from './earning-tables.ts';
import { decideEarlyEnd, type Period, type Sale } from './rules.ts';
import { selectPeriod, updateEnded } from './tables.ts';

/** The books of one plan: its price is deferred when it is sold, and `earn-days.ts` moves each day's part to revenue. */

/** Takes the price from the wallet; nothing of it is earned yet. Refuses `insufficient_balance`. */
export async function bookSale(
  tx: Tx,
  walletId: string,
  period: { readonly id: string; readonly priceToman: bigint },
  now: Date,
): Promise<void> {
  const { id, priceToman } = period;
  if (priceToman === 0n) return;
  const movements = [
    { accountId: walletId, amountToman: -priceToman },
    { accountId: house.planDeferred, amountToman: priceToman },
  ];
  const cause = { sourceType: 'subscription', sourceId: id, purpose: 'purchase' };
  await postTransfer(tx, { kind: 'subscription', ...cause, movements }, now);
  await insertUnearned(tx, id, priceToman);
}

/** Ends a locked period before its time: what is not earned yet is credited, earned or kept (`decideEarlyEnd`). */
export async function endPeriod(
  tx: Tx,
  walletId: string,
  end: Sale['ends'][number] | Cancelled,
  now: Date,
): Promise<void> {
  const period = await selectPeriod(tx, end.id);
  await updateEnded(tx, end, now);
  const unearned = await takeUnearned(tx, end.id);
  const { creditToman, earnedToman, keptToman } = decideEarlyEnd(period, unearned, end, now);
  const movements = [
    { accountId: house.planDeferred, amountToman: -unearned },
    { accountId: walletId, amountToman: creditToman },
    { accountId: house.planRevenue, amountToman: earnedToman },
    { accountId: house.planEnded, amountToman: keptToman },
  ];
  if (movements.every(({ amountToman }) => amountToman === 0n)) return;
  const purpose = creditToman > 0n ? 'credit' : 'end';
  const cause = { sourceType: 'subscription', sourceId: end.id, purpose };
  await postTransfer(tx, { kind: 'subscription', ...cause, movements }, now);
}

/** Ends a locked period whose traffic is used up: nothing is credited, and all of it is earned. */
export async function endUsedUp(tx: Tx, id: string, now: Date): Promise<void> {
  await updateEnded(tx, { id, reason: 'used_up', creditToman: 0n }, now);
  const unearned = await takeUnearned(tx, id);
  if (unearned === 0n) return;
  const movements = [
    { accountId: house.planDeferred, amountToman: -unearned },
    { accountId: house.planRevenue, amountToman: unearned },
  ];
  const cause = { sourceType: 'subscription', sourceId: id, purpose: 'end' };
  await postTransfer(tx, { kind: 'subscription', ...cause, movements }, now);
}

interface Cancelled {
  readonly id: Period['id'];
  readonly reason: 'cancelled';
  readonly creditToman: bigint;
}
