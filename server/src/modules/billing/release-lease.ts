import type { Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { postTransfer } from '../ledger/post-transfer.ts';
import { getUserAccounts, lockAccounts } from '../ledger/user-accounts.ts';
import { deleteSegmentsFrom, type MeterRow, selectSegments, updateLeases } from '../metering/leases.ts';
import { bytesBySubscription, totalToman } from '../metering/rules.ts';
import { returnAllowance } from '../subscriptions/allowance.ts';

/**
 * Lowers the lease of a locked meter to `limit`, but never below what is billed. Returns the reserved money to the wallet,
 * and bytes that a plan covered to that plan. Only called after the node has confirmed that it enforces the lower limit or
 * has removed the config.
 */
export async function releaseLease(tx: Tx, meter: MeterRow, limit: bigint, now: Date): Promise<bigint> {
  const target = limit < meter.billed_bytes ? meter.billed_bytes : limit;
  if (target >= meter.lease_limit_bytes) return 0n;
  const closed = await selectSegments(tx, meter.config_id);
  const segments = [
    ...closed.map((segment) => ({
      start: segment.start_byte,
      price: segment.price,
      subscriptionId: segment.subscription_id,
    })),
    { start: meter.segment_start, price: meter.segment_price, subscriptionId: meter.segment_subscription_id },
  ];
  const amount = totalToman(segments, meter.lease_limit_bytes) - totalToman(segments, target);
  // Segments that start at or after the new end are deleted; the one that contains it is open again.
  const open = segments.findLast((segment) => segment.start < target) ??
    segments[0] ?? { start: 0n, price: 0n, subscriptionId: null };
  if (open.start < meter.segment_start) await deleteSegmentsFrom(tx, meter.config_id, open.start);
  await updateLeases(tx, [
    {
      configId: meter.config_id,
      version: meter.lease_version,
      limit: target,
      shrinkTo: null,
      grantBytes: target - meter.billed_bytes,
      segmentStart: open.start,
      segmentPrice: open.price,
      segmentSubscriptionId: open.subscriptionId,
    },
  ]);
  const returned = bytesBySubscription(segments, target, meter.lease_limit_bytes);
  // Lock order: accounts before periods, as when a plan is bought or an allowance is drawn from.
  if (returned.size > 0) await lockAccounts(tx, [meter.user_id]);
  if (amount > 0n) await giveBack(tx, meter.user_id, amount, now);
  for (const [subscriptionId, bytes] of returned) await returnAllowance(tx, subscriptionId, bytes, now);
  return amount;
}

async function giveBack(tx: Tx, userId: string, amount: bigint, now: Date): Promise<void> {
  const accounts = await getUserAccounts(tx, userId);
  await postTransfer(
    tx,
    {
      kind: 'lease_release',
      sourceType: 'lease_release',
      sourceId: newId(now),
      purpose: 'release',
      movements: [
        { accountId: accounts.leaseId, amountToman: -amount },
        { accountId: accounts.walletId, amountToman: amount },
      ],
    },
    now,
  );
}
