import { type ApprovalAct, approvalPermissions } from '@raha/contract/admin/approvals.ts';
import type { Actor, Audit, StaffActor } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction, type Tx } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import {
  type ApprovalRow,
  insertApproval,
  lockApproval,
  selectApprovals,
  selectUndecided,
  updateDecided,
} from './approval-tables.ts';
import { decideAlone, findEnd, type Undecided } from './second-member.ts';
import { holdPermission, isOtherWith } from './standing.ts';

export type Approval = ApprovalRow;

/** Those that wait for a decision, and the newest of the others. */
export const listApprovals = selectApprovals;

/** The oldest that wait for a decision. */
export async function listUndecidedActs(db: Executor, now: Date, limit: number): Promise<Undecided[]> {
  const rows = await selectUndecided(db, now, limit);
  return rows.map(({ act, ...proposed }) => ({ ...proposed, permission: approvalPermissions[act] }));
}

export function isOpen({ state, expires_at }: Pick<Approval, 'state' | 'expires_at'>, now: Date): boolean {
  return state === 'open' && expires_at > now;
}

interface Deps {
  readonly clock: Clock;
  readonly audit: Audit;
}

interface ProposedAct {
  readonly actor: StaffActor;
  readonly act: ApprovalAct;
  /** All that the act needs, as it will be done. */
  readonly payload: object;
  readonly reason: string;
  /** For the audit. */
  readonly details: Readonly<Record<string, string | number | null>>;
}

/**
 * A member proposes what one alone may not do. It is kept as it will be done, and can be decided for `approvals.openHours`. The caller has
 * held the member's permission to propose it. Records it, so it comes last. Returns the proposal's id.
 */
export async function proposeAct(tx: Tx, deps: Deps, proposed: ProposedAct): Promise<string> {
  const { actor, act, payload, reason, details } = proposed;
  const now = deps.clock.now();
  const id = newId(now);
  const expires_at = await findEnd(tx, now);
  await insertApproval(tx, { id, act, payload, reason, proposed_by: actor.userId, proposed_at: now, expires_at });
  const target = { kind: 'approval', id } as const;
  await deps.audit.record(tx, actor, { action: 'approvals.propose', target, reason, details: { act, ...details } });
  return id;
}

interface Decision {
  readonly actor: Actor;
  readonly id: string;
}

/** What was approved, for the use case that does it. */
export interface Approved {
  readonly approvalId: string;
  /** Who approved it, in whose name it is done. */
  readonly actor: Actor;
  readonly payload: unknown;
  readonly reason: string;
  /** For the entry that the act leaves in the audit. */
  readonly details: { readonly approval: string; readonly proposedBy: string; readonly alone: boolean };
}

/** Does what was approved and records it, in the transaction of the approval. What it refuses leaves the proposal open. */
export type Perform = (tx: Tx, approved: Approved) => Promise<void>;

/**
 * A second member approves, and what was proposed is done in the same transaction. One who is alone may approve their own after
 * `approvals.aloneHours`; the machine needs no second member. Refuses `forbidden`, `not_found`, `proposal_over` (decided, or too old),
 * `proposal_own`, `proposal_waits`, and what `perform` does.
 */
export async function approveAct(
  deps: Deps & { readonly db: Database },
  { actor, id }: Decision,
  perform: Readonly<Record<ApprovalAct, Perform>>,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const approval = await lockOpen(tx, deps, { actor, id });
    const { act, payload, reason, proposed_by: proposedBy } = approval;
    const alone = await isAlone(tx, deps, actor, approval);
    await updateDecided(tx, id, { state: 'done', by: actor, alone }, deps.clock.now());
    const details = { approval: id, proposedBy, alone };
    await perform[act](tx, { approvalId: id, actor, payload, reason, details });
  });
}

type Closing = Decision & { readonly reason: string };

/** A second member declines, or the machine. Refuses `proposal_own`, because one's own is withdrawn. */
export async function declineAct(deps: Deps & { readonly db: Database }, closing: Closing): Promise<void> {
  const { actor } = closing;
  await inTransaction(deps.db, async (tx) => {
    const approval = await lockOpen(tx, deps, closing);
    if (actor.kind === 'staff' && approval.proposed_by === actor.userId) throw new Refusal('proposal_own');
    await close(tx, deps, { approval, closing, state: 'declined', action: 'approvals.decline' });
  });
}

/** Who proposed it takes it back. Refuses `not_found` to others. */
export async function withdrawAct(
  deps: Deps & { readonly db: Database },
  closing: Closing & { readonly actor: StaffActor },
): Promise<void> {
  const { actor, id } = closing;
  await inTransaction(deps.db, async (tx) => {
    await holdPermission(tx, actor, 'approvals.propose');
    const approval = await lockUndecided(tx, deps, id);
    if (approval.proposed_by !== actor.userId) throw new Refusal('not_found');
    await close(tx, deps, { approval, closing, state: 'withdrawn', action: 'approvals.withdraw' });
  });
}

/** The member first, then the row, as with other proposals. */
async function lockOpen(tx: Tx, deps: Deps, { actor, id }: Decision): Promise<Approval> {
  if (actor.kind === 'staff') await holdPermission(tx, actor, 'approvals.decide');
  const approval = await lockUndecided(tx, deps, id);
  if (actor.kind === 'staff') await holdPermission(tx, actor, approvalPermissions[approval.act]);
  return approval;
}

async function lockUndecided(tx: Tx, { clock }: Deps, id: string): Promise<Approval> {
  const approval = await lockApproval(tx, id);
  if (!approval) throw new Refusal('not_found');
  if (!isOpen(approval, clock.now())) throw new Refusal('proposal_over');
  return approval;
}

/** Whether the proposer decides. Nobody knows who sits at the machine, so there it is so if no other member could have decided. */
async function isAlone(tx: Tx, deps: Deps, actor: Actor, approval: Approval): Promise<boolean> {
  const permission = approvalPermissions[approval.act];
  if (actor.kind === 'staff') return await decideAlone(tx, deps, actor, approval, permission);
  return !(await isOtherWith(tx, { userId: approval.proposed_by }, permission));
}

interface Close {
  readonly approval: Approval;
  readonly closing: Closing;
  readonly state: 'declined' | 'withdrawn';
  readonly action: string;
}

async function close(tx: Tx, deps: Deps, { approval, closing, state, action }: Close): Promise<void> {
  const { actor, reason } = closing;
  const { id, act, proposed_by: proposedBy } = approval;
  await updateDecided(tx, id, { state, by: actor, alone: false }, deps.clock.now());
  const target = { kind: 'approval', id } as const;
  await deps.audit.record(tx, actor, { action, target, reason, details: { act, proposedBy } });
}
