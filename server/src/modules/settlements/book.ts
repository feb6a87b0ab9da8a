import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import type { Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { gatewayClearing, house } from '../ledger/house.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { type Booking, insertBooking } from './tables.ts';

/**
 * Books from a gateway's clearing account to the operator's bank account, the fees and the differences, once: the transfer is
 * unique by the booking. Sums that are all zero (a payment and its refund in one payout) have no transfer. Returns its id.
 */
export async function bookSums(
  tx: Tx,
  booking: Omit<Booking, 'id'> & { readonly gateway: GatewayName },
  now: Date,
): Promise<string> {
  const id = newId(now);
  await insertBooking(tx, { ...booking, id }, now);
  const movements = [
    { accountId: gatewayClearing[booking.gateway], amountToman: booking.clearing },
    { accountId: house.bank, amountToman: -booking.bank },
    { accountId: house.fee, amountToman: -booking.fee },
    { accountId: house.settlementDifference, amountToman: -booking.difference },
  ];
  if (movements.every(({ amountToman }) => amountToman === 0n)) return id;
  const cause = { kind: 'settlement', sourceType: 'settlement', sourceId: id, purpose: 'book' } as const;
  await postTransfer(tx, { ...cause, movements }, now);
  return id;
}
