import { limits } from './limits.ts';

/**
 * The strength meter of specification 1, section 5, shared by the form and the server. Letters of scripts without case
 * count as lower case, and a space counts as a symbol, so that a passphrase of a few words is strong (decision 0050).
 */

export interface PasswordStrength {
  /** 0 to 100: 25 for each of length, lower case, upper case, digit, symbol. */
  readonly score: number;
  readonly label: 'weak' | 'medium' | 'good' | 'strong';
}

export function passwordStrength(password: string): PasswordStrength {
  const traits = [
    password.length >= limits.password.min,
    /[\p{Ll}\p{Lo}]/u.test(password),
    /\p{Lu}/u.test(password),
    /\p{Nd}/u.test(password),
    /[^\p{L}\p{Nd}]/u.test(password),
  ];
  const score = Math.min(100, traits.filter(Boolean).length * 25);
  return { score, label: score < 25 ? 'weak' : score < 50 ? 'medium' : score < 75 ? 'good' : 'strong' };
}

/** Whether a password may be chosen: long enough, strong enough, and not the address itself. */
export function isAcceptablePassword(password: string, email = ''): boolean {
  const { min, strengthThreshold } = limits.password;
  const plain = password.toLowerCase();
  return (
    password.length >= min && passwordStrength(password).score >= strengthThreshold && plain !== email.toLowerCase()
  );
}

/** The spellings of a password that are looked up among the commonest: in lower case, also without symbols at its end. */
export function passwordSpellings(password: string): readonly string[] {
  const folded = foldPassword(password);
  const bare = folded.replace(/[^\p{L}\p{N}]+$/u, '');
  return bare === folded ? [folded] : [folded, bare];
}

export function foldPassword(password: string): string {
  return password.normalize('NFC').toLowerCase();
}
