import { bulkPermissions } from '@raha/contract/admin/bulk.ts';
import type { Actor } from '../../platform/audit.ts';
import { inTransaction } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { holdPermission } from '../staff/standing.ts';
import type { BulkDeps } from './order-bulk.ts';
import { decideStep, isOver, type Step } from './rules.ts';
import { lockBulk, updateState } from './tables.ts';

/**
 * Pauses a bulk, goes on with it, or ends it, as soon as the user in work is done. Any member with the permission for its act may, not
 * only the one who ordered it. Refuses `not_found`, `forbidden` and `bulk_state`.
 */
export async function steerBulk(
  deps: BulkDeps,
  { actor, id, step }: { readonly actor: Actor; readonly id: string; readonly step: Step },
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const bulk = await lockBulk(tx, id);
    if (!bulk) throw new Refusal('not_found');
    if (actor.kind === 'staff') await holdPermission(tx, actor, bulkPermissions[bulk.act]);
    const state = decideStep(bulk.state, step);
    if (state === undefined) throw new Refusal('bulk_state');
    await updateState(tx, id, state, { endedAt: isOver(state) ? deps.clock.now() : null });
    const { people, done, failed } = bulk;
    await deps.audit.record(tx, actor, {
      ...(bulk.act === 'credit' ? creditActions : actions)[step],
      target: { kind: 'bulk', id },
      details: { act: bulk.act, people, done, failed },
    });
  });
}

const actions = {
  pause: { action: 'bulks.pause' },
  continue: { action: 'bulks.continue' },
  stop: { action: 'bulks.stop' },
} as const;

/** Finance sees what was done about money. */
const creditActions = {
  pause: { action: 'credits.pause' },
  continue: { action: 'credits.continue' },
  stop: { action: 'credits.stop' },
} as const;
