import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import type { PricedSegment } from './rules.ts';

/** Reads `price_segment` and the running segment of `meter`, for statements. Nothing is written here. */

export interface PricedMeter {
  /** Bytes reported beyond a lease: counted, never charged. */
  readonly unbilledBytes: bigint;
  /** Sorted by start; the last one is open. */
  readonly segments: readonly PricedSegment[];
}

/** The prices of all bytes of these configs, in the order in which the bytes passed. */
export async function listPricedMeters(db: Executor, configIds: readonly string[]): Promise<Map<string, PricedMeter>> {
  if (configIds.length === 0) return new Map();
  const { rows } = await sql<{
    config_id: string;
    start: bigint;
    price: bigint;
    subscription_id: string | null;
    unbilled: bigint;
  }>`
    SELECT s.config_id, s.start_byte AS start, s.price, s.subscription_id, m.unbilled_bytes AS unbilled
    FROM price_segment s JOIN meter m USING (config_id) WHERE s.config_id = ANY (${configIds}::uuid[])
    UNION ALL
    SELECT config_id, segment_start, segment_price, segment_subscription_id, unbilled_bytes
    FROM meter WHERE config_id = ANY (${configIds}::uuid[])
    ORDER BY 1, 2
  `.execute(db);
  const meters = new Map<string, { unbilledBytes: bigint; segments: PricedSegment[] }>();
  for (const { config_id, start, price, subscription_id, unbilled } of rows) {
    const meter = meters.get(config_id) ?? { unbilledBytes: unbilled, segments: [] };
    meter.segments.push({ start, price, subscriptionId: subscription_id });
    meters.set(config_id, meter);
  }
  return meters;
}
