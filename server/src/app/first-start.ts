import { existsSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { sentenceOf } from '@raha/contract/errors.ts';
import { issueGiftCards } from '../modules/gift-cards/issue-cards.ts';
import { appointFirst } from '../modules/staff/add-member.ts';
import { listMembers } from '../modules/staff/list-members.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Deps } from './deps.ts';

/** On a machine for development, whose mails are shown at /dev/outbox. It receives none elsewhere. */
const DEVELOPMENT_ADDRESS = 'operator@raha.example';

/**
 * As long as nobody ever worked here, makes the owner of `OPERATOR_EMAIL` the first super admin. Every process that serves
 * may call it; one of them does it.
 */
export async function appointOperator(deps: Deps, say: (line: string) => void): Promise<void> {
  const { installation, operatorEmail } = deps.config;
  const email = operatorEmail ?? (installation === 'production' ? undefined : DEVELOPMENT_ADDRESS);
  if (!email) {
    if ((await listMembers(deps.db)).length > 0) return;
    say('Nobody works here yet: set OPERATOR_EMAIL and start again, or use raha staff add.');
    return;
  }
  const actor = { kind: 'command-line', systemUser: userInfo().username } as const;
  try {
    if (!(await appointFirst(deps, { actor, email: email.toLowerCase() }))) return;
    say(`First start: ${email} is the first super admin. Sign in at /admin within 24 hours to set up a second step.`);
  } catch (error) {
    // The service does not depend on it.
    if (!(error instanceof Refusal)) throw error;
    say(`${email} was not made super admin: ${sentenceOf(error.code, 'en')}`);
  }
}

/** On the first start outside production, a few gift cards. Codes of real ones are never printed. */
export async function welcomeDeveloper(deps: Deps, say: (line: string) => void): Promise<void> {
  const { dataDir, installation } = deps.config;
  const marker = join(dataDir, 'welcomed');
  if (installation === 'production' || existsSync(marker)) return;
  const { codes } = await issueGiftCards(deps, { count: 5, usdCents: 500, note: 'first start' });
  say('Gift cards of 5 US dollars, printed once:');
  for (const code of codes) say(`    ${code}`);
  writeFileSync(marker, '', { mode: 0o600 });
}
