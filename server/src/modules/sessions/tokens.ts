import { createHash, createHmac } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import { type JWTPayload, jwtVerify } from 'jose';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/random.ts';
import type { Vault } from '../../platform/sealed.ts';
import { hasHappened } from './rules.ts';

/**
 * Access tokens: JWTs valid for 15 minutes, one algorithm (HS256, RFC 7518 section 3.2) with a key that only this
 * server has; issuer, audience and type are fixed. They name a session; the database is asked each time whether it is
 * still open, so signing out takes effect at once.
 */
export interface Tokens {
  issue(claims: AccessClaims): Promise<string>;
  /** Undefined for anything but a valid, current token of ours. */
  read(token: string): Promise<AccessClaims | undefined>;
  /** A token valid for six hours and only for verifying the address of a user. */
  issueTemporary(claims: TemporaryClaims): Promise<string>;
  readTemporary(token: string): Promise<TemporaryClaims | undefined>;
  /** A token valid as long and only for completing a registration, which it carries sealed. */
  issueRegistration(registration: Registration): Promise<string>;
  readRegistration(token: string): Promise<Registration | undefined>;
}

export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
}

export interface TemporaryClaims {
  readonly userId: string;
  /** The choice made at log-in; the session starts only after the address is verified. */
  readonly rememberMe: boolean;
}

/** A registration that waits for the code of its address. Nothing of it is stored. */
export interface Registration {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
}

const ISSUER = 'raha';
const access = { audience: 'raha-panel', typ: 'at+jwt' } as const;
/** Separate audiences and types: no token can be used as another. */
const temporary = { audience: 'raha-verify-email', typ: 'verify+jwt' } as const;
const registering = { audience: 'raha-register', typ: 'register+jwt' } as const;
const REGISTRATION = 'registration token';

type Kind = typeof access | typeof temporary | typeof registering;

export function createTokens(vault: Vault, clock: Clock): Tokens {
  const keys = () => vault.signingKeys('access-token');
  const sign = async (kind: Kind, subject: string, seconds: number, claims: Record<string, string | boolean>) => {
    const iat = Math.floor(clock.now().getTime() / 1000);
    const set = { ...claims, iss: ISSUER, aud: kind.audience, sub: subject, iat, exp: iat + seconds };
    return signed(keys()[0] as Uint8Array, { alg: 'HS256', typ: kind.typ }, set);
  };
  const read = async (kind: Kind, token: string) => {
    const options = { algorithms: ['HS256'], issuer: ISSUER, ...kind, currentDate: clock.now() };
    for (const key of keys()) {
      const payload = await jwtVerify(token, key, options).then(
        (verified) => verified.payload,
        () => undefined,
      );
      // A token issued in the future comes from a clock that was wrong, and would stay valid too long.
      if (payload) return hasHappened(new Date((payload.iat ?? 0) * 1000), clock.now()) ? payload : undefined;
    }
    return undefined;
  };
  const verified = keepVerified(clock, keys);
  return {
    issue: ({ userId, sessionId }) => sign(access, userId, limits.session.accessTokenSeconds, { sid: sessionId }),
    async read(token) {
      const known = verified.find(token);
      const payload = known ?? (await read(access, token));
      if (typeof payload?.sub !== 'string' || typeof payload.sid !== 'string') return undefined;
      if (!known) verified.keep(token, payload);
      return { userId: payload.sub, sessionId: payload.sid };
    },
    issueTemporary: ({ userId, rememberMe }) =>
      sign(temporary, userId, limits.session.temporaryTokenDays * 86_400, { remember: rememberMe }),
    async readTemporary(token) {
      const payload = await read(temporary, token);
      return payload?.sub === undefined ? undefined : { userId: payload.sub, rememberMe: payload.remember === true };
    },
    issueRegistration(registration) {
      const sealed = vault.seal(JSON.stringify(registration), REGISTRATION);
      return sign(registering, newId(clock.now()), limits.session.temporaryTokenDays * 86_400, { sealed });
    },
    async readRegistration(token) {
      const payload = await read(registering, token);
      if (typeof payload?.sealed !== 'string') return undefined;
      return JSON.parse(vault.open(payload.sealed, REGISTRATION)) as Registration;
    },
  };
}

/**
 * RFC 7515, section 3.1, and RFC 7518, section 3.2. Not by the library, which gives the key and the signature to other threads and waits for them
 * twice, behind hashes of passwords; the library verifies what this signs.
 */
function signed(key: Uint8Array, header: object, claims: object): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

/** A panel sends its token with every call of a quarter of an hour. */
const MAX_VERIFIED = 10_000;

/**
 * What the tokens say that were verified lately, while they are valid and the signing keys stay the same. It saves only the
 * signature: whether the session is open is asked each time.
 */
function keepVerified(clock: Clock, signingKeys: () => readonly Uint8Array[]) {
  const tokens = new Map<string, JWTPayload>();
  /** The vault returns the same list as long as the keys are the same. */
  let keys: readonly Uint8Array[] | undefined;
  return {
    find(token: string): JWTPayload | undefined {
      const payload = tokens.get(token);
      const now = clock.now().getTime();
      const isValid =
        payload && now < (payload.exp ?? 0) * 1000 && hasHappened(new Date((payload.iat ?? 0) * 1000), clock.now());
      if (isValid && keys === signingKeys()) return payload;
      tokens.delete(token);
      return undefined;
    },
    keep(token: string, payload: JWTPayload): void {
      const current = signingKeys();
      if (keys !== current || tokens.size >= MAX_VERIFIED) tokens.clear();
      keys = current;
      tokens.set(token, payload);
    },
  };
}

/** Opaque tokens are stored as SHA-256: with 256 random bits no slow hash is needed. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
