import type { PlanVersion, planCalls, StaffPlan } from '@raha/contract/admin/plans.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { getUsers } from '../accounts/users.ts';
import { type AdminHandlers, actorOf } from '../staff/admit.ts';
import { findSecond } from '../staff/second-member.ts';
import { describeTerms } from './plan-wire.ts';
import { type KnownVersion, listAllVersions, listPlans, type PlanRow } from './plans.ts';
import { requestPlan } from './request-plan.ts';
import { cancelVersion } from './set-plan.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Plans in the console: what they cost and give now, before and later, and changes of them. */
export function planRoutes(deps: Deps): AdminHandlers<typeof planCalls> {
  const { db, clock } = deps;
  return {
    async listStaffPlans({ caller }) {
      const now = clock.now();
      const plans = await listPlans(db, now);
      const versions = await listAllVersions(db, now);
      const emails = await emailsOf(db, [...versions.values()].flat());
      const described = plans.map((plan) => describePlan(plan, versions.get(plan.id) ?? [], emails));
      const second = await findSecond(db, actorOf(caller));
      return { success: true, data: { plans: described, second } };
    },
    async setPlan({ caller, params, body }) {
      const { from, seen, reason, ...change } = body;
      const order = { actor: actorOf(caller), id: params.id, change, seen, reason };
      const requested = await requestPlan(deps, { ...order, from: from === undefined ? undefined : new Date(from) });
      return { success: true, data: { outcome: requested.outcome, from: requested.from?.toISOString() ?? null } };
    },
    async cancelPlanVersion({ caller, params, body }) {
      await cancelVersion(deps, { actor: actorOf(caller), id: params.id, reason: body.reason });
      return { success: true };
    },
  };
}

type Emails = ReadonlyMap<string, string>;

async function emailsOf(db: Database, versions: readonly KnownVersion[]): Promise<Emails> {
  const ids = versions
    .flatMap(({ createdBy, cancelledBy }) => [createdBy, cancelledBy])
    .filter((id) => id !== undefined);
  const users = await getUsers(db, [...new Set(ids)]);
  return new Map(ids.map((id) => [id, users.get(id)?.email ?? id]));
}

function describePlan(plan: PlanRow, versions: readonly KnownVersion[], emails: Emails): StaffPlan {
  return {
    ...{ id: plan.id, name_fa: plan.nameFa, name_en: plan.nameEn },
    ...{ is_popular: plan.isPopular, is_on: plan.isOn, position: plan.position, seen: plan.revision },
    ...describeTerms(plan),
    versions: versions.map((version) => describeVersion(version, emails)),
  };
}

function describeVersion(version: KnownVersion, emails: Emails): PlanVersion {
  const { id, validFrom, state, createdBy, reason, cancelledAt, cancelledBy } = version;
  const emailOf = (user: string | undefined) => (user === undefined ? null : (emails.get(user) ?? user));
  return {
    ...{ id, state, ...describeTerms(version) },
    from: validFrom.getTime() === 0 ? null : validFrom.toISOString(),
    ...{ by: emailOf(createdBy), reason: reason ?? null },
    ...{ cancelled_at: cancelledAt?.toISOString() ?? null, cancelled_by: emailOf(cancelledBy) },
  };
}
