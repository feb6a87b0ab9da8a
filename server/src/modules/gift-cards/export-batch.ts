import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, inTransaction } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { batchContext } from './issue-cards.ts';
import { unknownBatch } from './list-cards.ts';
import { lockBatchCodes, updateExported } from './tables.ts';

/**
 * Passes the codes of a batch to `write` once. The sealed copy is erased only after `write` has returned, in the
 * transaction that locks the batch: after a crash in between the codes can still be exported, and of two concurrent
 * exports only one gets them.
 */
export async function exportBatch(
  deps: { readonly db: Database; readonly clock: Clock; readonly vault: Vault; readonly audit: Audit },
  { actor, batchId }: { readonly actor: Actor; readonly batchId: string },
  write: (codes: readonly string[]) => Promise<void>,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const batch = await lockBatchCodes(tx, batchId);
    if (!batch) throw unknownBatch(batchId);
    if (batch.codes_sealed === null)
      throw new OperatorMistake('conflict', 'The codes of this batch were given out already; they are gone.');
    await write(deps.vault.open(batch.codes_sealed, batchContext(batchId)).split('\n'));
    await updateExported(tx, batchId, deps.clock.now());
    await deps.audit.record(tx, actor, { action: 'gift-cards.export', target: { kind: 'batch', id: batchId } });
  });
}
