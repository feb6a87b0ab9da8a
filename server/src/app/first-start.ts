import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperator } from '../modules/accounts/create-operator.ts';
import { issueGiftCards } from '../modules/gift-cards/issue-cards.ts';
import { openUserAccounts } from '../modules/ledger/user-accounts.ts';
import { type Config, ConfigError } from '../platform/config.ts';
import { inTransaction } from '../platform/database.ts';
import { newBytes } from '../platform/random.ts';
import type { Deps } from './deps.ts';

const MASTER_KEY_LENGTH = 32;

/**
 * The key under which everything secret is sealed: `MASTER_KEY`, or what `MASTER_KEY_FILE` holds. Without either it is
 * generated once and kept in the data directory, readable by its owner only: losing it loses every sealed secret and
 * every gift card. Production does not start without one that the operator chose.
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

/**
 * On the very first start: an operator account, signed in to with a code by e-mail like any other, and, where nothing is
 * worth money, gift cards to begin with. Codes of real gift cards are never printed into a log.
 */
export async function welcomeOperator(deps: Deps, say: (line: string) => void): Promise<void> {
  const { dataDir, installation, operatorEmail } = deps.config;
  const marker = join(dataDir, 'welcomed');
  if (existsSync(marker)) return;
  const isProduction = installation === 'production';
  const email = operatorEmail ?? (isProduction ? undefined : 'operator@raha.example');
  if (email) {
    await openOperator(deps, email);
    say('First start. This is printed once:');
    say(`  operator account: ${email} (sign in with a code by mail)`);
  } else {
    say('First start without an operator account: set OPERATOR_EMAIL and start again.');
    return;
  }
  if (!isProduction) {
    const { codes } = await issueGiftCards(deps, { count: 5, usdCents: 500, note: 'first start' });
    say('  gift cards of 5 US dollars:');
    for (const code of codes) say(`    ${code}`);
  }
  writeFileSync(marker, '', { mode: 0o600 });
}

async function openOperator({ db, clock }: Deps, email: string): Promise<void> {
  const now = clock.now();
  const operatorId = await createOperator(db, email, now);
  if (operatorId) await inTransaction(db, (tx) => openUserAccounts(tx, operatorId, now));
}
