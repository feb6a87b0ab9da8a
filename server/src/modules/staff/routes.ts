import type { audit } from '@raha/contract/admin/audit.ts';
import type { staff } from '@raha/contract/admin/staff.ts';
import type { Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { addMember } from './add-member.ts';
import { type AdminHandlers, actorOf } from './admit.ts';
import { disableMember } from './disable-member.ts';
import { listMembers } from './list-members.ts';
import { readAudit } from './read-audit.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
}

/** Who works here, and what operators did. */
export function staffRoutes(deps: Deps): AdminHandlers<typeof staff & typeof audit> {
  return {
    async listStaff() {
      const members = (await listMembers(deps.db)).map(({ userId, email, role, isActive, addedAt }) => ({
        ...{ id: userId, email, role, active: isActive, added_at: addedAt.toISOString() },
      }));
      return { success: true, data: { members } };
    },
    async addStaffMember({ caller, body }) {
      const { userId } = await addMember(deps, { actor: actorOf(caller), ...body });
      return { success: true, data: { id: userId } };
    },
    async disableStaffMember({ caller, params, body }) {
      await disableMember(deps, { actor: actorOf(caller), userId: params.id, reason: body.reason });
      return { success: true };
    },
    async listAudit({ caller, query }) {
      return { success: true, data: await readAudit(deps.db, caller, query) };
    },
  };
}
