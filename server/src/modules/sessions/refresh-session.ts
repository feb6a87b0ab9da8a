import { secondsBetween } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getUser, type User } from '../accounts/users.ts';
import { endSession } from './end-sessions.ts';
import { decideRefresh } from './rules.ts';
import type { SignInDeps } from './sign-in.ts';
import { lockRefreshToken, rotateToken } from './tables.ts';
import { hashToken } from './tokens.ts';

export interface Refreshed {
  readonly user: User;
  readonly sessionId: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly sessionSeconds: number;
}

/**
 * Exchanges a refresh token for a new pair. A token used twice within ten seconds gives the same replacement again
 * (tabs, lost answers); used later, it ends the whole family. Refuses `unauthenticated`.
 */
export async function refreshSession(deps: SignInDeps & { log: Log }, presented: string): Promise<Refreshed> {
  const now = deps.clock.now();
  const outcome = await inTransaction(deps.db, async (tx) => {
    const hash = hashToken(presented);
    const token = await lockRefreshToken(tx, hash);
    if (!token) return undefined;
    const decision = decideRefresh(token, now);
    const context = replacementContext(token.session_id);
    const base = { sessionId: token.session_id, userId: token.user_id, expiresAt: token.expires_at };
    if (decision.kind === 'rotate') {
      const next = newSecret();
      await rotateToken(tx, {
        oldHash: hash,
        newHash: hashToken(next),
        sessionId: token.session_id,
        generation: token.generation + 1,
        sealed: deps.vault.seal(next, context),
        now,
      });
      return { ...base, refreshToken: next };
    }
    if (decision.kind === 'repeat')
      return { ...base, refreshToken: deps.vault.open(token.replacement_sealed ?? '', context) };
    if (decision.kind === 'reuse') {
      await endSession(tx, deps, token.user_id, token.session_id, 'refresh token reused');
      deps.log.warn({ session: token.session_id }, 'a refresh token was used again: session family ended');
    }
    return undefined;
  });
  if (!outcome) throw new Refusal('unauthenticated');
  const user = await getUser(deps.db, outcome.userId);
  const accessToken = await deps.tokens.issue({ userId: outcome.userId, sessionId: outcome.sessionId });
  return {
    user,
    sessionId: outcome.sessionId,
    accessToken,
    refreshToken: outcome.refreshToken,
    sessionSeconds: Math.max(1, Math.floor(secondsBetween(now, outcome.expiresAt))),
  };
}

export const replacementContext = (sessionId: string) => `refresh:${sessionId}`;
