import type { Permission, StaffRole } from '@raha/contract/admin/roles.ts';
import type { StaffActor } from '../../platform/audit.ts';

/** A signed-in member of staff, or a program with a token of one. */
export interface StaffCaller {
  readonly userId: string;
  readonly email: string;
  readonly role: StaffRole;
  /** What the caller may do: of a member all that the role may, of a token the part that it was made for. */
  readonly permissions: readonly Permission[];
  readonly sessionId: string;
  /** Of a program. */
  readonly tokenId?: string | undefined;
  /** When a factor was shown last. */
  readonly provedAt: Date;
  readonly provedUntil: Date;
  readonly expiresAt: Date;
}

/** In whose name the audit keeps what is done; of a program, by which token as well. */
export function actorOf({ userId, tokenId }: Pick<StaffCaller, 'userId' | 'tokenId'>): StaffActor {
  return { kind: 'staff', userId, ...(tokenId === undefined ? {} : { tokenId }) };
}
