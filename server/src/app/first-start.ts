import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createOperator } from '../modules/accounts/create-operator.ts';
import { issueGiftCards } from '../modules/gift-cards/issue-cards.ts';
import { openUserAccounts } from '../modules/ledger/user-accounts.ts';
import { inTransaction } from '../platform/database.ts';
import type { Deps } from './deps.ts';

/**
 * On the first start, creates an operator account, which signs in with an emailed code like any other, and outside
 * production also a few gift cards. Codes of real gift cards are never printed.
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
    say(`  operator account: ${email} (sign in with a code by email)`);
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
