import type { Vault } from '../../platform/sealed.ts';
import { canonicalAddress } from './canonical-address.ts';

/**
 * HMACs by which a user is known again under another spelling of the address, or after the account was erased: of the
 * mailbox, and of the phone number if there is one. They tell nothing without the key, which is not in the database.
 */
export function accountMarks(vault: Vault, { email, phone }: { email: string; phone: string | null }): Buffer[] {
  const texts = [`mailbox ${canonicalAddress(email)}`, ...(phone === null ? [] : [`phone ${phone}`])];
  return texts.map((text) => vault.hmac('account-mark', text));
}
