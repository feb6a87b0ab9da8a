import type { BulkWhom } from '@raha/contract/admin/bulk.ts';
import { bulkPermissions } from '@raha/contract/admin/bulk.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { addSeconds } from '../../platform/clock.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { holdPermission } from '../staff/standing.ts';
import { keepProposal, noPayment } from '../wallet/propose-correction.ts';
import { type BulkDeps, choose, definedOf, type Order, once, whoOf } from './order-bulk.ts';
import { hashPeople, insertBulk, insertItems } from './tables.ts';

export interface CreditOrder extends Order {
  readonly whom: BulkWhom;
  /** What each of them gets. */
  readonly toman: bigint;
  /** What they are told with it. */
  readonly message: string;
  /** The amount times the number of users, as it was shown. Absent: nobody was shown one. */
  readonly sumToman?: bigint | undefined;
}

export interface CreditOrdered {
  readonly id: string;
  readonly people: number;
  readonly sumToman: number;
}

/**
 * Orders the same credit for many users, as one sum. Who they are is written down now. A member's order waits for a second one
 * (`decide-order.ts`); of the command line, which is not kept from anything by a second name, it is planned at once.
 * Refuses `forbidden`, `not_found` (of an id), `bulk_count`, `bulk_too_many`, `bulk_nobody`, and `bulk_sum` if the sum is not what was shown.
 */
export async function orderCredit(deps: BulkDeps, order: CreditOrder): Promise<CreditOrdered> {
  return await once(deps, order, async (tx) => {
    const { actor, reason, toman, message } = order;
    const { filter, userIds } = await choose(tx, order.whom);
    if (actor.kind === 'staff') await holdPermission(tx, actor, bulkPermissions.credit);
    if (userIds.length === 0) throw new Refusal('bulk_nobody');
    const people = userIds.length;
    const sum = toman * BigInt(people);
    const sumToman = Number(sum);
    if (order.sumToman !== undefined && order.sumToman !== sum)
      throw new Refusal('bulk_sum', { details: { count: people, sum: sumToman } });
    const ordered_at = deps.clock.now();
    const id = newId(ordered_at);
    const common = {
      id,
      act: 'credit',
      reason,
      filter,
      ordered_at,
      people,
      undoes: null,
      each_toman: toman,
      message,
    } as const;
    const details = { people, tomanEach: Number(toman), tomanSum: sumToman, ...definedOf(filter) };
    const target = { kind: 'bulk', id } as const;
    if (actor.kind === 'staff') {
      const list = { each_toman: toman, people, people_hash: await hashPeople(tx, userIds) };
      const about = { user_id: null, kind: 'bulk', amount_toman: sum, reason, proposed_by: actor.userId } as const;
      const { id: proposal_id, expiresAt } = await keepProposal(tx, deps, { ...about, ...noPayment, ...list });
      const waits = { state: 'proposed', starts_at: null, proposal_id, approve_by: expiresAt } as const;
      await insertBulk(tx, { ...common, ...whoOf(actor), ...waits });
      await insertItems(tx, id, userIds);
      const proposed = { ...details, proposal: proposal_id };
      await deps.audit.record(tx, actor, { action: 'credits.propose', target, reason, details: proposed });
    } else {
      const starts_at = addSeconds(ordered_at, staffLimits.bulk.planSeconds);
      const planned = { state: 'planned', starts_at, proposal_id: null, approve_by: null } as const;
      await insertBulk(tx, { ...common, ...whoOf(actor), ...planned });
      await insertItems(tx, id, userIds);
      await deps.audit.record(tx, actor, { action: 'credits.order', target, reason, details });
    }
    return { id, people, sumToman };
  });
}
