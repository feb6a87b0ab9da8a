import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../contract/src/limits.ts';
import { foldPassword } from '../contract/src/password.ts';
import { hashFolded } from '../server/src/platform/common-passwords.ts';

/**
 * `node scripts/write-common-passwords.ts PwnedPasswordsTop100k.txt` writes the list of the server from a file with one
 * password per line (https://www.ncsc.gov.uk/static-assets/documents/PwnedPasswordsTop100k.txt). Shorter ones than a
 * password may have are left out.
 */
const [, , source = ''] = process.argv;
const lines = readFileSync(source, 'utf8').split(/\r?\n/);
// The head of the file ends with an empty line.
const passwords = lines.slice(lines.indexOf('') + 1).filter((line) => line.length >= limits.password.min);
const hashes = [...new Set(passwords.map(foldPassword))].map(hashFolded).sort(Buffer.compare);
writeFileSync(join(import.meta.dirname, '../server/src/platform/common-passwords.bin'), Buffer.concat(hashes));
