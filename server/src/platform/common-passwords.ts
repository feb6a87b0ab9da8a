import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The 100,000 commonest passwords of data breaches (NCSC and Have I Been Pwned), as far as they have eight characters:
 * four bytes of the SHA-256 of each, sorted. Of 90,000 other passwords one is taken for a common one.
 * `scripts/write-common-passwords.ts` writes the file.
 */
const list = readFileSync(join(import.meta.dirname, 'common-passwords.bin'));
export const HASH_BYTES = 4;

/** Whether a password is on the list, in upper or lower case, with or without symbols at its end. */
export function isCommonPassword(password: string): boolean {
  const folded = foldPassword(password);
  return isListed(folded) || isListed(folded.replace(/[^\p{L}\p{N}]+$/u, ''));
}

export function foldPassword(password: string): string {
  return password.normalize('NFC').toLowerCase();
}

export function hashFolded(folded: string): Buffer {
  return createHash('sha256').update(folded).digest().subarray(0, HASH_BYTES);
}

function isListed(folded: string): boolean {
  const wanted = hashFolded(folded).readUInt32BE();
  let from = 0;
  let to = list.length / HASH_BYTES;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const found = list.readUInt32BE(middle * HASH_BYTES);
    if (found === wanted) return true;
    if (found < wanted) from = middle + 1;
    else to = middle;
  }
  return false;
}
