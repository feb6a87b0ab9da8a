import { createHash } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import { jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import type { Vault } from '../../platform/sealed.ts';

/**
 * Access tokens: JWTs of 15 minutes, one algorithm (HS256, RFC 7518 section 3.2) under a key that only this server has,
 * with issuer, audience and type fixed. They name a session; whether it still lives is asked of the database each time,
 * so that signing out works at once.
 */
export interface Tokens {
  issue(claims: AccessClaims): Promise<string>;
  /** Undefined for anything that is not a valid, current token of ours. */
  read(token: string): Promise<AccessClaims | undefined>;
}

export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
}

const ISSUER = 'raha';
const AUDIENCE = 'raha-panel';
const TYPE = 'at+jwt';

export function createTokens(vault: Vault, clock: Clock): Tokens {
  const key = vault.derive('access-token');
  return {
    async issue({ userId, sessionId }) {
      const now = Math.floor(clock.now().getTime() / 1000);
      return await new SignJWT({ sid: sessionId })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(now + limits.session.accessTokenSeconds)
        .sign(key);
    },
    async read(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          issuer: ISSUER,
          audience: AUDIENCE,
          typ: TYPE,
          currentDate: clock.now(),
        });
        if (typeof payload.sub !== 'string' || typeof payload.sid !== 'string') return undefined;
        return { userId: payload.sub, sessionId: payload.sid };
      } catch {
        return undefined;
      }
    },
  };
}

/** Opaque tokens are stored as SHA-256: 256 random bits need no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
