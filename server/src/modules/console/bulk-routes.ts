import type { bulkCalls } from '@raha/contract/admin/bulk.ts';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import type { FastifyRequest } from 'fastify';
import { idempotentRequestOf } from '../../platform/idempotency.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { listBulks } from '../bulk/list-bulks.ts';
import { type BulkDeps, type Ordered, orderBulk, undoBulk } from '../bulk/order-bulk.ts';
import { orderCredit } from '../bulk/order-credit.ts';
import type { Step } from '../bulk/rules.ts';
import { steerBulk } from '../bulk/steer-bulk.ts';
import { type AdminHandlers, actorOf, type StaffCaller } from '../staff/admit.ts';
import { describeBulk, describeBulkPeople, describeBulks } from './describe-bulks.ts';
import { exportBulk } from './export-bulk.ts';

type Deps = BulkDeps & { readonly minuteLimit: MinuteLimit };

/** One act on many users. */
export function bulkRoutes(deps: Deps): AdminHandlers<typeof bulkCalls> {
  const { db } = deps;
  const facts = async (id: string, caller: StaffCaller) => {
    const bulk = await describeBulk(db, id, caller);
    if (!bulk) throw new Refusal('not_found');
    return { success: true as const, data: bulk };
  };
  const steer = async (caller: StaffCaller, id: string, step: Step) => {
    await steerBulk(deps, { actor: actorOf(caller), id, step });
    return await facts(id, caller);
  };
  return {
    async suspendPeople({ caller, request, body }) {
      const { act, whom, reason } = body;
      return answer(await orderBulk(deps, { ...orderOf(caller, request, body), act, whom, reason }));
    },
    async endSessionsOfPeople({ caller, request, body }) {
      const order = { act: 'end_sessions', whom: body.whom, reason: body.reason } as const;
      return answer(await orderBulk(deps, { ...orderOf(caller, request, body), ...order }));
    },
    async creditPeople({ caller, request, body }) {
      const { whom, toman, sum, message, reason } = body;
      const order = { whom, toman: BigInt(toman), sumToman: BigInt(sum), message, reason };
      const { id, people, sumToman } = await orderCredit(deps, { ...orderOf(caller, request, body), ...order });
      return { success: true, data: { id, people, sum: sumToman } };
    },
    async listBulks({ query }) {
      const { listed } = staffLimits.bulk;
      const rows = await listBulks(db, query.before, listed + 1);
      const bulks = await describeBulks(db, rows.slice(0, listed));
      return { success: true, data: { bulks, next: rows.length > listed ? (bulks.at(-1)?.id ?? null) : null } };
    },
    getBulk: ({ caller, params }) => facts(params.id, caller),
    async listBulkPeople({ params, query }) {
      return { success: true, data: await describeBulkPeople(db, params.id, query) };
    },
    async exportBulk({ caller, params, reply }) {
      deps.minuteLimit.take(`staff files of ${caller.userId}`, staffLimits.reports.filesPerMinute);
      const text = await exportBulk(deps, { actor: actorOf(caller), id: params.id });
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="raha-bulk-${params.id}.csv"`)
        .header('cache-control', 'no-store')
        .send(text);
    },
    pauseBulk: ({ caller, params }) => steer(caller, params.id, 'pause'),
    continueBulk: ({ caller, params }) => steer(caller, params.id, 'continue'),
    stopBulk: ({ caller, params }) => steer(caller, params.id, 'stop'),
    async undoBulk({ caller, request, params, body }) {
      const order = { ...orderOf(caller, request, body), id: params.id, reason: body.reason };
      return answer(await undoBulk(deps, order));
    },
  };
}

function orderOf(caller: StaffCaller, request: FastifyRequest, body: unknown) {
  return { actor: actorOf(caller), idempotent: idempotentRequestOf(request, caller.userId, body) };
}

function answer({ id, people, startsAt: starts_at }: Ordered) {
  return { success: true as const, data: { id, people, starts_at } };
}
