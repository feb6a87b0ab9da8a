import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperator } from '../modules/accounts/create-operator.ts';
import { issueGiftCards } from '../modules/gift-cards/issue-cards.ts';
import { openUserAccounts } from '../modules/ledger/user-accounts.ts';
import { inTransaction } from '../platform/database.ts';
import { newBytes } from '../platform/random.ts';
import type { Deps } from './deps.ts';

/**
 * The key under which everything secret is sealed. Without `MASTER_KEY` it is made once and kept, readable by its owner
 * only, in the data directory: losing it loses every sealed secret and every gift card.
 */
export function readMasterKey(given: string | undefined, dataDir: string): string {
  if (given) return given;
  const file = join(dataDir, 'master.key');
  if (!existsSync(file)) {
    writeFileSync(file, newBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
    chmodSync(file, 0o600);
  }
  return readFileSync(file, 'utf8').trim();
}

/** On the very first start: an operator, who signs in by mail code like everybody, and gift cards to begin with. */
export async function welcomeOperator(deps: Deps, say: (line: string) => void): Promise<void> {
  const marker = join(deps.config.dataDir, 'welcomed');
  if (existsSync(marker)) return;
  const email = 'operator@raha.example';
  const now = deps.clock.now();
  const operatorId = await createOperator(deps.db, email, now);
  if (operatorId) await inTransaction(deps.db, (tx) => openUserAccounts(tx, operatorId, now));
  const { codes } = await issueGiftCards(deps, { count: 5, usdCents: 500, note: 'first start' });
  say('First start. This is printed once:');
  say(`  operator account: ${email} (sign in with a code by mail)`);
  say('  gift cards of 5 US dollars:');
  for (const code of codes) say(`    ${code}`);
  writeFileSync(marker, '', { mode: 0o600 });
}
