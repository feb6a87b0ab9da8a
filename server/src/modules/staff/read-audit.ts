import type { AuditEntry } from '@raha/contract/admin/audit.ts';
import { type AuditScope, auditScopes } from '@raha/contract/admin/roles.ts';
import type { Executor } from '../../platform/database.ts';
import { type EntryScope, listEntries } from '../audit/audit.ts';
import type { StaffCaller } from './admit.ts';
import { listMembers, type Member } from './list-members.ts';

interface Query {
  readonly before?: number | undefined;
  readonly count: number;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target_kind?: string | undefined;
  readonly target?: string | undefined;
}

/** A page of what operators did, as far as the reader's role sees it. Members may be named by their address. */
export async function readAudit(
  db: Executor,
  { userId, role }: Pick<StaffCaller, 'userId' | 'role'>,
  query: Query,
): Promise<{ entries: AuditEntry[]; more: boolean }> {
  const members = await listMembers(db);
  const filter = {
    before: query.before === undefined ? undefined : BigInt(query.before),
    actor: idOf(members, query.actor),
    action: orNothing(query.action),
    target: { kind: orNothing(query.target_kind), id: idOf(members, query.target) },
    visible: visibleTo(auditScopes[role], userId),
  };
  const rows = await listEntries(db, filter, query.count + 1);
  const entries = rows.slice(0, query.count).map((row) => ({
    number: Number(row.number),
    at: row.at.toISOString(),
    ...{ actor_kind: row.actor_kind, actor: row.actor, action: row.action },
    actor_email: row.actor_kind === 'staff' ? emailOf(members, row.actor) : null,
    ...{ target_kind: row.target_kind, target_id: row.target_id },
    target_email: row.target_kind === 'staff' ? emailOf(members, row.target_id) : null,
    ...{ operator: row.operator, reason: row.reason },
    details: row.details as AuditEntry['details'],
    changed: row.changed as AuditEntry['changed'],
  }));
  return { entries, more: rows.length > query.count };
}

/** What moves, prices or settles money. */
const MONEY =
  '^(payments|credits|approvals|refunds|settlements|gift-cards|books|rate|prices|plans|gateways|reports)\\.|^accounts\\.(adjust|write-off-debt|write-off-remainders|propose-correction|decline-correction|withdraw-correction)$';

function visibleTo(scope: AuditScope, userId: string): EntryScope {
  if (scope === 'own') return { ofMember: userId };
  if (scope === 'money') return { actions: MONEY };
  return scope === 'without_staff' ? { withoutTarget: 'staff' } : {};
}

/** The id of a member whose address was given; anything else is taken as it is. */
function idOf(members: readonly Member[], word: string | undefined): string | undefined {
  const given = orNothing(word);
  return members.find(({ email }) => email === given?.toLowerCase())?.userId ?? given;
}

function emailOf(members: readonly Member[], id: string | null): string | null {
  return members.find(({ userId }) => userId === id)?.email ?? null;
}

function orNothing(word: string | undefined): string | undefined {
  return word?.trim() || undefined;
}
