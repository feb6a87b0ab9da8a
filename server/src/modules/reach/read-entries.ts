import type { Transport } from '@raha/contract/protocols.ts';
import type { Executor } from '../../platform/database.ts';
import { selectEntrySlots } from './entry-tables.ts';

export interface EntryCell {
  readonly nodeId: string;
  readonly relayId: string | null;
  readonly network: number;
  readonly transport: Transport;
  /** Oldest first; without attempts where nothing was counted. */
  readonly slots: readonly { readonly attempts: number; readonly through: number }[];
}

/** What was counted at each entry in the last so many ten minutes that are over. */
export async function readEntryCells(db: Executor, slots: number, now: Date): Promise<EntryCell[]> {
  const rows = await selectEntrySlots(db, slots, now);
  const cells = Map.groupBy(rows, (row) => `${row.node_id} ${row.relay_id} ${row.network} ${row.transport}`);
  return [...cells.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const counts = Array.from({ length: slots }, () => ({ attempts: 0, through: 0 }));
    for (const { ago, attempts, through } of own)
      counts[slots - ago] = { attempts: Number(attempts), through: Number(through) };
    return [
      {
        ...{ nodeId: first.node_id, relayId: first.relay_id, network: Number(first.network) },
        ...{ transport: first.transport, slots: counts },
      },
    ];
  });
}
