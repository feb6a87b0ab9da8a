import { foldPassword, isAcceptablePassword } from '@raha/contract/password.ts';
import { isCommonPassword } from '../../platform/common-passwords.ts';
import { Refusal } from '../../platform/refusal.ts';

/** Names that people make passwords of here; written out in docs/protection.md. */
const NAMES = ['raha', 'rahavpn', 'رها', 'vpn', 'wireguard', 'openvpn', 'ikev', 'internet', 'filtershekan', 'فیلترشکن'];

/**
 * Refuses a password that may not be chosen: too short or weak, the address itself, one of the commonest, or nothing but
 * a name of the product or of the address with figures and symbols.
 */
export function refuseWeak(password: string, email?: string): void {
  if (!isAcceptablePassword(password, email))
    throw new Refusal('invalid_input', { fields: { password: 'password_too_weak' } });
  if (isCommonPassword(password)) throw new Refusal('invalid_input', { fields: { password: 'password_common' } });
  if (isOnlyName(password, email)) throw new Refusal('invalid_input', { fields: { password: 'password_name' } });
}

function isOnlyName(password: string, email = ''): boolean {
  const own = lettersOf(email.split('@')[0] ?? '');
  const letters = lettersOf(password);
  return NAMES.includes(letters) || (own.length >= 4 && letters === own);
}

function lettersOf(text: string): string {
  return foldPassword(text).replace(/[^\p{L}]/gu, '');
}
