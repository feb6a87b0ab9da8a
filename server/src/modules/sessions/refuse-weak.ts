import { isAcceptablePassword } from '@raha/contract/password.ts';
import { isCommonPassword } from '../../platform/common-passwords.ts';
import { Refusal } from '../../platform/refusal.ts';

/** Refuses a password that may not be chosen: too short or weak, the address itself, or one of the commonest. */
export function refuseWeak(password: string, email?: string): void {
  if (!isAcceptablePassword(password, email))
    throw new Refusal('invalid_input', { fields: { password: 'password_too_weak' } });
  if (isCommonPassword(password)) throw new Refusal('invalid_input', { fields: { password: 'password_common' } });
}
