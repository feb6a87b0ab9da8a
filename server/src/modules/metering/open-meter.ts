import type { Tx } from '../../platform/database.ts';
import { insertMeter } from './tables.ts';

/** Opens a meter for a new config. It counts from zero in the node's current epoch and has no lease yet. */
export async function openMeter(
  tx: Tx,
  meter: { configId: string; userId: string; nodeId: string; generation: bigint; epoch: string | null },
): Promise<void> {
  await insertMeter(tx, meter);
}
