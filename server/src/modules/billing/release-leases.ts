import type { Tx } from '../../platform/database.ts';
import { reserveMoney } from '../ledger/reserve-money.ts';
import { lockAccounts } from '../ledger/user-accounts.ts';
import {
  deleteSegmentsFrom,
  type LeaseUpdate,
  type MeterRow,
  selectSegments,
  updateLeases,
} from '../metering/leases.ts';
import { bytesBySubscription, type PricedSegment, totalToman } from '../metering/rules.ts';
import { returnAllowance } from '../subscriptions/allowance.ts';

export interface Lowered {
  readonly meter: MeterRow;
  /** The new limit in billed bytes; at least what is billed already is kept. */
  readonly limit: bigint;
}

/**
 * Lowers leases of locked meters, and returns the reserved money to the wallets and bytes that a plan covered to that
 * plan. The node has confirmed that it enforces the lower limit, or has removed the config; or the lease is recalled:
 * then its version rises, so that the node hears of it, and bytes that still pass are billed later (`unpaid_bytes`).
 * Returns how many bytes came back.
 */
export async function releaseLeases(
  tx: Tx,
  lowered: readonly Lowered[],
  now: Date,
  { isRecalled = false } = {},
): Promise<bigint> {
  const lower = lowered
    .map(({ meter, limit }) => ({ meter, limit: limit < meter.billed_bytes ? meter.billed_bytes : limit }))
    .filter(({ meter, limit }) => limit < meter.lease_limit_bytes);
  if (lower.length === 0) return 0n;
  const closed = await selectSegments(
    tx,
    lower.map(({ meter }) => meter.config_id),
  );
  const parts = lower.map(({ meter, limit }) => {
    const segments: PricedSegment[] = [
      ...closed
        .filter(({ config_id }) => config_id === meter.config_id)
        .map((row) => ({ start: row.start_byte, price: row.price, subscriptionId: row.subscription_id })),
      { start: meter.segment_start, price: meter.segment_price, subscriptionId: meter.segment_subscription_id },
    ];
    // Segments that start at or after the new end are deleted; the one that contains it is open again.
    const open = segments.findLast((segment) => segment.start < limit) ?? (segments[0] as PricedSegment);
    return { meter, limit, segments, open };
  });
  await deleteSegmentsFrom(
    tx,
    parts
      .filter(({ meter, open }) => open.start < meter.segment_start)
      .map(({ meter, open }) => ({ configId: meter.config_id, startByte: open.start })),
  );
  await updateLeases(
    tx,
    parts.map(
      ({ meter, limit, open }): LeaseUpdate => ({
        configId: meter.config_id,
        version: meter.lease_version + (isRecalled ? 1 : 0),
        limit,
        shrinkTo: null,
        grantBytes: limit - meter.billed_bytes,
        segmentStart: open.start,
        segmentPrice: open.price,
        segmentSubscriptionId: open.subscriptionId,
        isRecalled,
      }),
    ),
  );
  await giveBack(tx, parts, now);
  return lower.reduce((sum, { meter, limit }) => sum + meter.lease_limit_bytes - limit, 0n);
}

interface Part extends Lowered {
  readonly segments: readonly PricedSegment[];
}

async function giveBack(tx: Tx, parts: readonly Part[], now: Date): Promise<void> {
  /** Negative: released. */
  const amounts = new Map<string, bigint>();
  const returned = new Map<string, bigint>();
  for (const { meter, limit, segments } of parts) {
    const amount = totalToman(segments, meter.lease_limit_bytes) - totalToman(segments, limit);
    amounts.set(meter.user_id, (amounts.get(meter.user_id) ?? 0n) - amount);
    for (const [id, bytes] of bytesBySubscription(segments, limit, meter.lease_limit_bytes))
      returned.set(id, (returned.get(id) ?? 0n) + bytes);
  }
  if (returned.size === 0 && [...amounts.values()].every((amount) => amount === 0n)) return;
  // Lock order: accounts before periods, as when a plan is bought or an allowance is drawn from.
  await lockAccounts(tx, [...amounts.keys()].sort());
  await reserveMoney(tx, amounts);
  for (const [subscriptionId, bytes] of returned) await returnAllowance(tx, subscriptionId, bytes, now);
}
