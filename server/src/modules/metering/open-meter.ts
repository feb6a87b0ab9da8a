import type { Tx } from '../../platform/database.ts';
import { insertMeter } from './tables.ts';

/** A meter for a new config, counting from zero in the node's present epoch; it has no lease yet. */
export async function openMeter(
  tx: Tx,
  meter: { configId: string; userId: string; nodeId: string; generation: bigint; epoch: string | null },
): Promise<void> {
  await insertMeter(tx, meter);
}
