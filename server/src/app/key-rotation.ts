import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { limits } from '@raha/contract/limits.ts';
import { OperatorMistake } from '../modules/accounts/operator-mistake.ts';
import { clientFileSecrets } from '../modules/client-files/sealed-columns.ts';
import { factorSecrets } from '../modules/factors/sealed-columns.ts';
import { fleetSecrets } from '../modules/fleet/sealed-columns.ts';
import { giftCardSecrets } from '../modules/gift-cards/sealed-columns.ts';
import { sessionSecrets } from '../modules/sessions/sealed-columns.ts';
import type { Actor, Audit } from '../platform/audit.ts';
import type { Clock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { type Database, inTransaction } from '../platform/database.ts';
import { countSealedJobs } from '../platform/jobs.ts';
import { newBytes } from '../platform/random.ts';
import { splitKeys, type Vault } from '../platform/sealed.ts';
import { countOthers, type SealedColumn, sealAgain } from '../platform/sealed-columns.ts';
import { FOLLOW_MS, followSealingKey, masterKeyFileOf, nameSealingKey, sealingSince } from './master-key.ts';

/** Replacing the master key in three steps, none of which makes anything unreadable (decision 0049). */

export const sealedColumns: readonly SealedColumn[] = [
  ...clientFileSecrets,
  ...giftCardSecrets,
  ...fleetSecrets,
  ...sessionSecrets,
  ...factorSecrets,
];

/** Tokens signed with the old key are valid this long, and a process may use it until it has followed. */
const LONGEST_TOKEN_MS = limits.session.temporaryTokenDays * 86_400_000;

interface KeyDeps {
  readonly db: Database;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly config: Config;
}

export type RotationStep = 'added' | 'sealing' | 'waiting' | 'finished';

/**
 * Takes the next step: adds a key to the file (`added`), names it as the sealing one (`sealing`), waits for the values
 * under older keys (`waiting`), and removes the older keys from the file (`finished`).
 */
export async function rotateKeys(
  deps: KeyDeps,
  actor: Actor,
): Promise<{ step: RotationStep; file: string; left: number }> {
  const { db, vault, config, clock } = deps;
  const file = masterKeyFileOf(config);
  if (file === undefined) {
    throw new OperatorMistake('conflict', 'The key stands in MASTER_KEY: put it into a file and set MASTER_KEY_FILE.');
  }
  // After the step: what it writes is a file.
  const outcome = async (step: RotationStep, left = 0) => {
    await inTransaction(db, (tx) => deps.audit.record(tx, actor, { action: 'keys.rotate', details: { step, left } }));
    return { step, file, left };
  };
  const [newest = ''] = vault.keys.ids;
  if (vault.keys.ids.length === 1) {
    writeKeys(file, [newBytes(32).toString('base64url'), ...splitKeys(readFileSync(file, 'utf8'))]);
    return await outcome('added');
  }
  if (vault.keys.sealing !== newest) {
    await nameSealingKey(db, vault, newest, clock.now());
    return await outcome('sealing', await countLeft(deps));
  }
  const left = await countLeft(deps);
  const keptUntil = (await sealingSince(db)).getTime() + LONGEST_TOKEN_MS + 12 * FOLLOW_MS;
  if (left > 0 || clock.now().getTime() < keptUntil) return { step: 'waiting', file, left };
  writeKeys(file, splitKeys(readFileSync(file, 'utf8')).slice(0, 1));
  return await outcome('finished');
}

/** Values that only older keys open: columns, and data of jobs that are not done. */
export async function countLeft({ db, vault }: Pick<KeyDeps, 'db' | 'vault'>): Promise<number> {
  let left = await countSealedJobs(db, vault);
  for (const column of sealedColumns) left += await countOthers(db, vault, column);
  return left;
}

/**
 * One round of the background: follows the named key and seals everything again with it. It can stop at any moment; the
 * next round continues. It costs one query where there is one key.
 */
export async function sealEverythingAgain({ db, vault }: Pick<KeyDeps, 'db' | 'vault'>): Promise<void> {
  await followSealingKey(db, vault);
  if (vault.keys.ids.length === 1 || vault.keys.sealing !== vault.keys.ids[0]) return;
  for (const column of sealedColumns) while ((await sealAgain(db, vault, column)) > 0);
}

/** Whole or not at all: a file cut short would lose every secret. */
function writeKeys(file: string, keys: readonly string[]): void {
  writeFileSync(`${file}.new`, `${keys.join('\n')}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
