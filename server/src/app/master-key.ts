import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Config, ConfigError } from '../platform/config.ts';
import { type Database, type Executor, inTransaction } from '../platform/database.ts';
import { newBytes } from '../platform/random.ts';
import { createVault, splitKeys, type Vault } from '../platform/sealed.ts';
import { defineSetting, readSetting, setSetting } from '../platform/settings.ts';

const MASTER_KEY_LENGTH = 32;

type KeyConfig = Pick<Config, 'masterKey' | 'masterKeyFile' | 'dataDir'>;

/**
 * The key that seals every secret: `MASTER_KEY`, or the content of `MASTER_KEY_FILE`. Without either it is generated once
 * and kept in the data directory, readable only by its owner. Losing it loses every sealed secret and every gift card.
 * Production does not start with a generated key. While a key is being replaced, the text has one key per line, the
 * newest first.
 */
export function readMasterKey({ masterKey, masterKeyFile, dataDir }: KeyConfig): string {
  if (masterKey) return masterKey;
  if (masterKeyFile) return readGivenKey(masterKeyFile);
  const file = generatedKeyFile(dataDir);
  if (!existsSync(file)) {
    writeFileSync(file, newBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
    chmodSync(file, 0o600);
  }
  return readFileSync(file, 'utf8').trim();
}

/** The file that a new key is written to; undefined if the key comes from `MASTER_KEY`. */
export function masterKeyFileOf({ masterKey, masterKeyFile, dataDir }: KeyConfig): string | undefined {
  return masterKey ? undefined : (masterKeyFile ?? generatedKeyFile(dataDir));
}

function generatedKeyFile(dataDir: string): string {
  return join(dataDir, 'master.key');
}

function readGivenKey(file: string): string {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (text !== '' && splitKeys(text).every((key) => key.length >= MASTER_KEY_LENGTH)) return text;
  throw new ConfigError(
    `MASTER_KEY_FILE is ${file}, which does not hold a key of at least ${MASTER_KEY_LENGTH} characters.`,
  );
}

/** Sealed with the master key, so that a wrong key is noticed before anything is sealed with it. */
const keyCheck = defineSetting('internal.masterKeyCheck', z.string(), '');
/** The key that every process seals with, and since when. */
const sealingKey = defineSetting('internal.sealingKey', z.object({ id: z.string(), since: z.string() }), {
  id: '',
  since: '',
});
/** The root of derived keys, sealed: it outlives the master key that it came from. */
const derivationRoot = defineSetting('internal.derivationRoot', z.string(), '');
/** How often each process asks which key seals. */
export const FOLLOW_MS = 5_000;
const CHECK_CONTEXT = 'master-key-check';
const ROOT_CONTEXT = 'derivation-root';

/** A vault that seals with the key the database names. Without a readable database it seals with the oldest key. */
export async function openVault(db: Executor, masterKeys: string): Promise<Vault> {
  const vault = createVault(masterKeys);
  if (!(await holdsMasterKey(db, vault))) return vault;
  const root = await readSetting(db, derivationRoot);
  if (root !== '') vault.keys.setRoot(Buffer.from(vault.open(root, ROOT_CONTEXT), 'base64url'));
  await followSealingKey(db, vault);
  return vault;
}

/** Takes up a decision of another process. A key that this process has not read yet changes nothing. */
export async function followSealingKey(db: Executor, vault: Vault): Promise<void> {
  const { id } = await readSetting(db, sealingKey);
  if (id !== vault.keys.sealing && vault.keys.ids.includes(id)) vault.keys.sealWith(id);
}

/** When the sealing key was named; every process follows it within `FOLLOW_MS`. */
export async function sealingSince(db: Executor): Promise<Date> {
  return new Date((await readSetting(db, sealingKey)).since);
}

/** Throws if the key does not open what was sealed in this database. */
export async function requireMasterKey(db: Database, vault: Vault, now: Date): Promise<void> {
  if (!(await holdsMasterKey(db, vault))) {
    throw new ConfigError(
      'The master key is not the one of this database: set MASTER_KEY_FILE (or MASTER_KEY) to the right one. Nothing was changed.',
    );
  }
  if ((await readSetting(db, keyCheck)) === '') await sealInternals(db, vault, now);
}

export async function holdsMasterKey(db: Executor, vault: Vault): Promise<boolean> {
  const sealed = await readSetting(db, keyCheck);
  try {
    return sealed === '' || vault.open(sealed, CHECK_CONTEXT) === 'raha';
  } catch {
    return false;
  }
}

/** Makes a key the sealing one, for this process and, within seconds, for all others. */
export async function nameSealingKey(db: Database, vault: Vault, id: string, now: Date): Promise<void> {
  vault.keys.sealWith(id);
  await sealInternals(db, vault, now);
}

/** The check and the root, sealed with the sealing key. */
async function sealInternals(db: Database, vault: Vault, now: Date): Promise<void> {
  await inTransaction(db, async (tx) => {
    const root = vault.keys.root().toString('base64url');
    await setSetting(tx, derivationRoot, vault.seal(root, ROOT_CONTEXT), now);
    await setSetting(tx, keyCheck, vault.seal('raha', CHECK_CONTEXT), now);
    const named = { id: vault.keys.sealing, since: now.toISOString() };
    await setSetting(tx, sealingKey, JSON.stringify(named), now);
  });
}
