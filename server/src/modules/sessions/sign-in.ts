import { timingSafeEqual } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import { addDays, type Clock } from '../../platform/clock.ts';
import { type Database, inTransaction, type Tx } from '../../platform/database.ts';
import { newId, newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Vault } from '../../platform/sealed.ts';
import { completePersonProfile, findOrCreateByProvedEmail, type Person } from '../accounts/people.ts';
import { openUserAccounts } from '../ledger/user-accounts.ts';
import { decideTry } from './rules.ts';
import { codeHmac } from './send-code.ts';
import {
  countTry,
  insertRefreshToken,
  insertSession,
  lockAddress,
  lockOpenChallenge,
  markChallengeUsed,
} from './tables.ts';
import { hashToken, type Tokens } from './tokens.ts';

export interface SignInDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly tokens: Tokens;
}

export interface SignedIn {
  readonly person: Person;
  /** False for a person who has just come into being. */
  readonly existed: boolean;
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly sessionSeconds: number;
}

/**
 * Proves an address with its code and signs in; a new address becomes a person with status `incomplete`, or `active`
 * when `fullName` is given. Refuses `code_invalid` (wrong, expired, used, never sent: one answer) and `code_burnt`.
 * A wrong try is counted even though the call fails: it commits, then refuses.
 */
export async function signInWithCode(
  deps: SignInDeps,
  email: string,
  code: string,
  fullName?: string,
): Promise<SignedIn> {
  const now = deps.clock.now();
  const outcome = await inTransaction(deps.db, async (tx) => {
    await lockAddress(tx, email);
    const refused = await consumeCode(tx, deps.vault, email, code, now);
    if (refused) return refused;
    const { person, created } = await findOrCreateByProvedEmail(tx, email, now);
    if (created) await openUserAccounts(tx, person.id, now);
    refuseClosedAccounts(person);
    const named =
      fullName !== undefined && !person.profile_completed
        ? await completePersonProfile(tx, person, fullName, now)
        : person;
    return {
      person: named,
      existed: person.profile_completed,
      ...(await startSession(tx, named.id, limits.session.passwordlessDays, now)),
    };
  });
  if (typeof outcome === 'string') throw new Refusal(outcome);
  const accessToken = await deps.tokens.issue({ userId: outcome.person.id, sessionId: outcome.sessionId });
  return { ...outcome, accessToken, sessionSeconds: limits.session.passwordlessDays * 86_400 };
}

async function consumeCode(
  tx: Tx,
  vault: Vault,
  email: string,
  code: string,
  now: Date,
): Promise<'code_invalid' | 'code_burnt' | undefined> {
  const challenge = await lockOpenChallenge(tx, email);
  if (!challenge) return 'code_invalid';
  const decision = decideTry(challenge, now);
  if (decision !== 'compare') return decision === 'burnt' ? 'code_burnt' : 'code_invalid';
  if (!timingSafeEqual(challenge.code_hmac, codeHmac(vault, challenge.id, code))) {
    await countTry(tx, challenge.id);
    return challenge.tries + 1 >= limits.verificationCode.triesPerChallenge ? 'code_burnt' : 'code_invalid';
  }
  await markChallengeUsed(tx, challenge.id, now);
  return undefined;
}

function refuseClosedAccounts(person: Person): void {
  if (person.status === 'suspended' || person.status === 'deactivated' || person.status === 'deleted') {
    throw new Refusal('account_suspended');
  }
}

async function startSession(
  tx: Tx,
  userId: string,
  days: number,
  now: Date,
): Promise<{ sessionId: string; refreshToken: string }> {
  const sessionId = newId(now);
  const refreshToken = newSecret();
  await insertSession(tx, { id: sessionId, userId, now, expiresAt: addDays(now, days) });
  await insertRefreshToken(tx, { hash: hashToken(refreshToken), sessionId, generation: 1 });
  return { sessionId, refreshToken };
}
