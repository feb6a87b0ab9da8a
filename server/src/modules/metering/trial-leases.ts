import { sql } from 'kysely';
import type { Tx } from '../../platform/database.ts';
import { billUnpaid, deleteSegmentsFrom, insertSegments, lockMeters, type MeterRow, selectSegments } from './leases.ts';
import { cutTrial } from './rules.ts';
import type { ReadingRow } from './tables.ts';

/**
 * Takes bytes beyond the limit of a trial out of what is free on these meters, which the transaction has locked. They
 * wait for money, as those that pass under a recalled lease do, and what is reserved already pays for them first.
 */
export async function cutTrials(tx: Tx, beyond: ReadonlyMap<string, bigint>): Promise<void> {
  const meters = await lockMeters(tx, [...beyond.keys()]);
  const closed = await selectSegments(tx, [...beyond.keys()]);
  for (const meter of meters) {
    const own = closed.filter(({ config_id }) => config_id === meter.config_id);
    await cut(tx, meter, own, beyond.get(meter.config_id) ?? 0n);
  }
  await billUnpaid(tx, [...beyond.keys()]);
}

async function cut(
  tx: Tx,
  meter: MeterRow,
  closed: Awaited<ReturnType<typeof selectSegments>>,
  beyond: bigint,
): Promise<void> {
  const configId = meter.config_id;
  const after = cutTrial(
    {
      billed: meter.billed_bytes,
      limit: meter.lease_limit_bytes,
      trialBytes: meter.trial_bytes,
      segmentStart: meter.segment_start,
      closed: closed.map(({ start_byte, end_byte }) => ({ start: start_byte, end: end_byte })),
    },
    beyond,
  );
  if (closed.length > 0) {
    await deleteSegmentsFrom(tx, [{ configId, startByte: 0n }]);
    // Only the first one can have become empty.
    const kept = closed.slice(closed.length - after.closed.length);
    const rows = after.closed.map((range, index) => ({
      configId,
      ...range,
      price: kept[index]?.price ?? 0n,
      subscriptionId: kept[index]?.subscription_id ?? null,
    }));
    await insertSegments(tx, rows);
  }
  await sql`
    UPDATE meter m SET billed_bytes = ${after.billed}, unpaid_bytes = m.unpaid_bytes + ${beyond}, trial_bytes = ${after.trialBytes},
      lease_recalled_limit = CASE WHEN m.final THEN NULL ELSE greatest(m.lease_recalled_limit, m.lease_limit_bytes) END,
      lease_limit_bytes = ${after.limit}, segment_start = ${after.segmentStart}, lease_version = m.lease_version + 1,
      lease_shrink_to = NULL, lease_grant_bytes = ${after.limit - after.billed}
    WHERE m.config_id = ${configId}
  `.execute(tx);
}

/** These readings as their meters are now, after some of them were cut. */
export async function readAgain(tx: Tx, readings: readonly ReadingRow[]): Promise<ReadingRow[]> {
  const meters = await lockMeters(
    tx,
    readings.map(({ config_id }) => config_id),
  );
  const byId = new Map(meters.map((meter) => [meter.config_id, meter]));
  return readings.map((reading) => {
    const meter = byId.get(reading.config_id);
    if (!meter) return reading;
    const { billed_bytes, lease_version, lease_limit_bytes, lease_shrink_to, lease_grant_bytes, lease_short } = meter;
    return {
      ...reading,
      billed_bytes,
      lease_version,
      lease_limit_bytes,
      lease_shrink_to,
      lease_grant_bytes,
      lease_short,
    };
  });
}
