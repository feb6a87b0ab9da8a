import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Config, ConfigError } from '../platform/config.ts';
import type { Database } from '../platform/database.ts';
import { newBytes } from '../platform/random.ts';
import type { Vault } from '../platform/sealed.ts';
import { defineSetting, getSetting, setSetting } from '../platform/settings.ts';

const MASTER_KEY_LENGTH = 32;

/**
 * The key that seals every secret: `MASTER_KEY`, or the content of `MASTER_KEY_FILE`. Without either it is generated once
 * and kept in the data directory, readable only by its owner. Losing it loses every sealed secret and every gift card.
 * Production does not start with a generated key.
 */
export function readMasterKey({
  masterKey,
  masterKeyFile,
  dataDir,
}: Pick<Config, 'masterKey' | 'masterKeyFile' | 'dataDir'>): string {
  if (masterKey) return masterKey;
  if (masterKeyFile) return readGivenKey(masterKeyFile);
  const file = join(dataDir, 'master.key');
  if (!existsSync(file)) {
    writeFileSync(file, newBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
    chmodSync(file, 0o600);
  }
  return readFileSync(file, 'utf8').trim();
}

function readGivenKey(file: string): string {
  const key = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (key.length >= MASTER_KEY_LENGTH) return key;
  throw new ConfigError(
    `MASTER_KEY_FILE is ${file}, which does not hold a key of at least ${MASTER_KEY_LENGTH} characters.`,
  );
}

/** Sealed with the master key of the first start, so that another key is noticed before anything is sealed with it. */
const keyCheck = defineSetting('internal.masterKeyCheck', z.string(), '');
const CONTEXT = 'master-key-check';

/** Throws if the key does not open what was sealed in this database. */
export async function requireMasterKey(db: Database, vault: Vault, now: Date): Promise<void> {
  if ((await getSetting(db, keyCheck)) === '') await setSetting(db, keyCheck, vault.seal('raha', CONTEXT), now);
  if (await holdsMasterKey(db, vault)) return;
  throw new ConfigError(
    'The master key is not the one of this database: set MASTER_KEY_FILE (or MASTER_KEY) to the right one. Nothing was changed.',
  );
}

export async function holdsMasterKey(db: Database, vault: Vault): Promise<boolean> {
  const sealed = await getSetting(db, keyCheck);
  try {
    return sealed === '' || vault.open(sealed, CONTEXT) === 'raha';
  } catch {
    return false;
  }
}
