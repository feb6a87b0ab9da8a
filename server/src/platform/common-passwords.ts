import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { passwordSpellings } from '@raha/contract/password.ts';

/**
 * The 100,000 commonest passwords of data breaches (NCSC and Have I Been Pwned), as far as they have eight characters:
 * four bytes of the SHA-256 of each, sorted. Of 90,000 other passwords one is taken for a common one.
 * `scripts/write-common-passwords.ts` writes the file.
 */
const list = readFileSync(join(import.meta.dirname, 'common-passwords.bin'));
const HASH_BYTES = 4;
const LENGTH = list.length / HASH_BYTES;

/** Whether a password is on the list, in upper or lower case, with or without symbols at its end. */
export function isCommonPassword(password: string): boolean {
  return passwordSpellings(password).some((spelling) => {
    const wanted = hashFolded(spelling).readUInt32BE();
    const at = findFirst(wanted);
    return at < LENGTH && hashAt(at) === wanted;
  });
}

/** The hashes on the list that begin with these hexadecimal digits. */
export function commonHashes(prefix: string): string[] {
  const hashes: string[] = [];
  for (let at = findFirst(Number.parseInt(prefix.padEnd(HASH_BYTES * 2, '0'), 16)); at < LENGTH; at += 1) {
    const hash = hashAt(at)
      .toString(16)
      .padStart(HASH_BYTES * 2, '0');
    if (!hash.startsWith(prefix)) break;
    hashes.push(hash);
  }
  return hashes;
}

export function hashFolded(folded: string): Buffer {
  return createHash('sha256').update(folded).digest().subarray(0, HASH_BYTES);
}

/** Where the first hash stands that is not below a number. */
function findFirst(wanted: number): number {
  let from = 0;
  let to = LENGTH;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (hashAt(middle) < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

function hashAt(index: number): number {
  return list.readUInt32BE(index * HASH_BYTES);
}
