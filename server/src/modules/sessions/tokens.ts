import { createHash } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import { jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import type { Vault } from '../../platform/sealed.ts';
import { hasHappened } from './rules.ts';

/**
 * Access tokens: JWTs of 15 minutes, one algorithm (HS256, RFC 7518 section 3.2) under a key that only this server has,
 * with issuer, audience and type fixed. They name a session; whether it still lives is asked of the database each time,
 * so that signing out works at once.
 */
export interface Tokens {
  issue(claims: AccessClaims): Promise<string>;
  /** Undefined for anything that is not a valid, current token of ours. */
  read(token: string): Promise<AccessClaims | undefined>;
  /** A token of a quarter day that is good for nothing but proving the address of a user. */
  issueTemporary(claims: TemporaryClaims): Promise<string>;
  readTemporary(token: string): Promise<TemporaryClaims | undefined>;
}

export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
}

export interface TemporaryClaims {
  readonly userId: string;
  /** What the log-in wished for; the session begins only after the proof. */
  readonly rememberMe: boolean;
}

const ISSUER = 'raha';
const access = { audience: 'raha-panel', typ: 'at+jwt' } as const;
/** Another audience and another type: neither token can pass for the other. */
const temporary = { audience: 'raha-verify-email', typ: 'verify+jwt' } as const;

export function createTokens(vault: Vault, clock: Clock): Tokens {
  const key = vault.derive('access-token');
  const sign = async (
    kind: typeof access | typeof temporary,
    subject: string,
    seconds: number,
    claims: Record<string, string | boolean>,
  ) => {
    const now = Math.floor(clock.now().getTime() / 1000);
    return await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: kind.typ })
      .setIssuer(ISSUER)
      .setAudience(kind.audience)
      .setSubject(subject)
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(key);
  };
  const read = async (kind: typeof access | typeof temporary, token: string) => {
    try {
      const options = { algorithms: ['HS256'], issuer: ISSUER, ...kind, currentDate: clock.now() };
      const { payload } = await jwtVerify(token, key, options);
      // One from the future was issued by a clock that was wrong, and would be good until then.
      return hasHappened(new Date((payload.iat ?? 0) * 1000), clock.now()) ? payload : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    issue: ({ userId, sessionId }) => sign(access, userId, limits.session.accessTokenSeconds, { sid: sessionId }),
    async read(token) {
      const payload = await read(access, token);
      if (typeof payload?.sub !== 'string' || typeof payload.sid !== 'string') return undefined;
      return { userId: payload.sub, sessionId: payload.sid };
    },
    issueTemporary: ({ userId, rememberMe }) =>
      sign(temporary, userId, limits.session.temporaryTokenDays * 86_400, { remember: rememberMe }),
    async readTemporary(token) {
      const payload = await read(temporary, token);
      return payload?.sub === undefined ? undefined : { userId: payload.sub, rememberMe: payload.remember === true };
    },
  };
}

/** Opaque tokens are stored as SHA-256: 256 random bits need no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
