import { foldDigits } from '@raha/contract/persian.ts';

/**
 * Gift card codes: 15 random symbols of Crockford's base 32 (75 bits) and one check symbol, shown in groups of four.
 * The check is the value modulo 37 (Crockford, "Base 32"); codes whose check would need one of the five extra symbols
 * are never issued, so that a code has only letters and digits.
 */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CHECK_ALPHABET = `${ALPHABET}*~$=U`;
const BODY = 15;

/** Makes a code from random bytes; `random(n)` gives n bytes of the CSPRNG. */
export function makeGiftCode(random: (count: number) => Uint8Array): string {
  for (;;) {
    const body = [...random(BODY)].map((byte) => ALPHABET[byte & 31]).join('');
    const check = checkSymbol(body);
    if (ALPHABET.includes(check)) return `${body}${check}`;
  }
}

export function checkSymbol(body: string): string {
  let remainder = 0;
  for (const symbol of body) remainder = (remainder * 32 + ALPHABET.indexOf(symbol)) % 37;
  return CHECK_ALPHABET[remainder] as string;
}

/** The printed form: `XXXX-XXXX-XXXX-XXXC`. */
export function showGiftCode(code: string): string {
  return code.replace(/(.{4})(?=.)/g, '$1-');
}

/**
 * Turns a typed code into the stored form: digits to ASCII, upper case, no hyphens or spaces, I and L → 1, O → 0.
 * Undefined if the check symbol is wrong.
 */
export function readGiftCode(typed: string): string | undefined {
  const code = foldDigits(typed).toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
  if (code.length !== BODY + 1 || [...code].some((symbol) => !ALPHABET.includes(symbol))) return undefined;
  return checkSymbol(code.slice(0, BODY)) === code[BODY] ? code : undefined;
}
