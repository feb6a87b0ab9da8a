import { staffLimits } from '@raha/contract/admin/limits.ts';
import { type people, timelineKinds } from '@raha/contract/admin/people.ts';
import type { FastifyRequest } from 'fastify';
import type { Audit } from '../../platform/audit.ts';
import { addDays } from '../../platform/clock.ts';
import { idempotentRequestOf } from '../../platform/idempotency.ts';
import type { MinuteLimit } from '../../platform/minute-limit.ts';
import { countFitting } from '../bulk/find-people.ts';
import { type AccountOrder, steerAccount } from '../profile/steer-account.ts';
import { type AdminHandlers, actorOf, type StaffCaller } from '../staff/admit.ts';
import { describeUserFacts, type UserFactsDeps } from './describe-user.ts';
import { lookAt, showContact } from './look.ts';
import { searchPeople } from './search-people.ts';
import { readTimeline } from './timeline.ts';

type Deps = UserFactsDeps & { readonly audit: Audit; readonly minuteLimit: MinuteLimit };

interface Steering {
  readonly caller: StaffCaller;
  readonly request: FastifyRequest;
  readonly params: { readonly id: string };
  readonly body: { readonly reason: string; readonly undoes?: number | undefined };
}

/** Users as staff see them. */
export function peopleRoutes(deps: Deps): AdminHandlers<typeof people> {
  const steer = async (act: AccountOrder['act'], { caller, request, params, body }: Steering) => {
    const idempotent = idempotentRequestOf(request, caller.userId, body);
    const order = { actor: actorOf(caller), userId: params.id, act, ...body, idempotent };
    return { success: true as const, data: await steerAccount(deps, order) };
  };
  return {
    suspendUser: (call) => steer('suspend', call),
    reopenUser: (call) => steer('reopen', call),
    async searchPeople({ caller, body }) {
      deps.minuteLimit.take(`staff search ${caller.userId}`, staffLimits.people.searchesPerMinute);
      return { success: true, data: await searchPeople(deps.db, body) };
    },
    async countPeople({ query }) {
      return { success: true, data: await countFitting(deps.db, query) };
    },
    async getUserFacts({ caller, params, locale }) {
      const user = await lookAt(deps, { actor: actorOf(caller), userId: params.id });
      const seesConfigs = caller.permissions.includes('configs.read');
      return { success: true, data: await describeUserFacts(deps, user, { seesConfigs, locale }) };
    },
    async readTimeline({ caller, params, query, locale }) {
      await lookAt(deps, { actor: actorOf(caller), userId: params.id });
      const before = query.before === undefined ? addDays(deps.clock.now(), 1) : new Date(query.before);
      const seen = timelineKinds.filter((kind) => kind !== 'config' || caller.permissions.includes('configs.read'));
      const kinds = query.kind === undefined ? seen : seen.filter((kind) => kind === query.kind);
      return { success: true, data: await readTimeline(deps.db, params.id, { before, kinds, locale }) };
    },
    async showContact({ caller, params, body }) {
      const { email, phone } = await showContact(deps, { actor: actorOf(caller), userId: params.id, ...body });
      return { success: true, data: { email, phone } };
    },
  };
}
