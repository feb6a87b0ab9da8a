import type { Actor } from '../../platform/audit.ts';
import type { Tx } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import type { User } from '../accounts/users.ts';
import { holdPermission } from '../staff/standing.ts';
import { type Allowed, adjustWallet, type CorrectionDeps } from '../wallet/correct-books.ts';
import { findProposal } from '../wallet/decide-proposal.ts';
import { smallCorrection } from '../wallet/settings.ts';
import type { BulkRow } from './tables.ts';

/** In whose name each user is credited: who approved it, as a proposal about one user is done by who approves it. */
export interface Approval {
  readonly actor: Actor;
  /** Of a member; the machine needs none. */
  readonly allowed?: Allowed | undefined;
}

/**
 * Until the transaction ends, both who ordered and who approved it work here with their permissions. Refuses `forbidden` if one of them
 * does no longer: then nobody else is paid.
 */
export async function holdApproval(tx: Tx, bulk: BulkRow): Promise<Approval> {
  const { actor_kind: kind, actor: who, proposal_id: id } = bulk;
  if (kind === 'command-line') return { actor: { kind, systemUser: who } };
  const proposal = id === null ? undefined : await findProposal(tx, id);
  if (proposal?.state !== 'done' || proposal.decided_by === null) throw new Error(`bulk ${bulk.id} was not approved`);
  const { proposed_by: proposedBy, decided_by: userId, alone } = proposal;
  await holdPermission(tx, { kind, userId: proposedBy }, 'wallet.adjust');
  await holdPermission(tx, { kind, userId }, 'corrections.decide');
  const limitToman = BigInt(await getSetting(tx, smallCorrection));
  return { actor: { kind, userId }, allowed: { limitToman, proposal: { id: proposal.id, proposedBy, alone } } };
}

/** Credits a user whom the caller has locked, with an entry of the audit, a transfer and a notification of their own. */
export async function creditUser(
  tx: Tx,
  deps: CorrectionDeps,
  bulk: BulkRow,
  user: User,
  { actor, allowed }: Approval,
): Promise<void> {
  const { id, reason, each_toman: amountToman, message } = bulk;
  if (amountToman === null || message === null) throw new Error(`bulk ${id} is no credit`);
  await adjustWallet(tx, deps, user, { actor, reason, amountToman, allowed, bulk: { id, message } });
}
