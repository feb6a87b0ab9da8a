import { limits } from '@raha/contract/limits.ts';
import type { AssertionOptions, PasskeyAssertion } from '@raha/contract/public/factors.ts';
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { addSeconds } from '../../platform/clock.ts';
import { newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { FactorDeps } from './notify-change.ts';
import { type RelyingParty, relyingPartyOf } from './rules.ts';
import {
  type ChallengePurpose,
  countSignature,
  insertChallenge,
  type PasskeyRow,
  selectPasskeyByCredential,
  selectPasskeys,
  takeChallenge,
} from './tables.ts';

/** Who asked for a challenge: nobody else can use it. */
export interface ChallengeScope {
  readonly purpose: ChallengePurpose;
  readonly requester: string;
  /** Absent when the passkey itself says who signs in. */
  readonly userId?: string;
}

type Deps = Pick<FactorDeps, 'db' | 'clock' | 'log' | 'publicUrl'>;

/** Refuses `passkey_unavailable` if the site's address allows no passkeys. */
export function getRelyingParty({ publicUrl }: Pick<FactorDeps, 'publicUrl'>): RelyingParty {
  const party = relyingPartyOf(publicUrl);
  if (!party) throw new Refusal('passkey_unavailable');
  return party;
}

/** Options for one signature with a passkey: of the user, or, without one, of anybody. */
export async function offerPasskey(deps: Deps, scope: ChallengeScope): Promise<AssertionOptions> {
  const { id } = getRelyingParty(deps);
  const known = scope.userId === undefined ? [] : await selectPasskeys(deps.db, scope.userId);
  return {
    challenge: await openChallenge(deps, scope),
    rpId: id,
    timeout: limits.factors.passkeyChallengeSeconds * 1000,
    userVerification: 'required',
    allowCredentials: known.map(describeCredential),
  };
}

export function describeCredential({ credential_id, transports }: PasskeyRow) {
  return { id: credential_id, type: 'public-key' as const, transports };
}

export async function openChallenge(deps: Deps, { purpose, requester, userId }: ChallengeScope): Promise<string> {
  const now = deps.clock.now();
  const challenge = newSecret();
  const expiresAt = addSeconds(now, limits.factors.passkeyChallengeSeconds);
  await insertChallenge(deps.db, { challenge, purpose, requester, userId: userId ?? null, expiresAt }, now);
  return challenge;
}

/**
 * Verifies a signature and returns its user. The challenge is used up whatever the outcome. Refuses `passkey_refused` for
 * anything that is not right: an unknown passkey, another user's, a foreign or used challenge, a signature without user
 * verification, a sign counter that went back (a cloned authenticator; WebAuthn, section 6.1.1).
 */
export async function verifyPasskey(
  deps: Deps,
  scope: ChallengeScope,
  credential: PasskeyAssertion,
): Promise<{ readonly userId: string }> {
  const { id, origin } = getRelyingParty(deps);
  const challenge = await useChallenge(deps, scope, credential.response.clientDataJSON);
  const passkey = await selectPasskeyByCredential(deps.db, credential.id);
  if (!passkey || (scope.userId !== undefined && passkey.user_id !== scope.userId)) {
    throw new Refusal('passkey_refused');
  }
  const handle = credential.response.userHandle;
  // A passkey that says who signs in must say the user whose key verifies it.
  if (handle ? handle !== userHandleOf(passkey.user_id) : scope.userId === undefined) {
    throw new Refusal('passkey_refused');
  }
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: credential as never,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: Number(passkey.sign_count),
    },
  }).catch((error: unknown) => refuseCredential(deps, error));
  const { newCounter, credentialBackedUp: backedUp } = authenticationInfo;
  const use = { id: passkey.id, before: passkey.sign_count, after: BigInt(newCounter), backedUp };
  if (!verified || !(await countSignature(deps.db, use, deps.clock.now()))) throw new Refusal('passkey_refused');
  return { userId: passkey.user_id };
}

/** Takes the challenge that the browser signed. Refuses `passkey_refused`. */
export async function useChallenge(deps: Deps, scope: ChallengeScope, clientDataJSON: string): Promise<string> {
  const challenge = readChallenge(clientDataJSON);
  const taken = challenge && (await takeChallenge(deps.db, { ...scope, challenge }, deps.clock.now()));
  if (!challenge || !taken || taken.user_id !== (scope.userId ?? null)) throw new Refusal('passkey_refused');
  return challenge;
}

function readChallenge(clientDataJSON: string): string | undefined {
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as {
      challenge?: unknown;
    } | null;
    return typeof data?.challenge === 'string' ? data.challenge : undefined;
  } catch {
    return undefined;
  }
}

/** The library throws for every reason of refusal; the reason is logged, because a counter that went back matters. */
export function refuseCredential({ log }: Pick<Deps, 'log'>, error: unknown): never {
  log.warn({ reason: error instanceof Error ? error.message : String(error) }, 'a passkey was refused');
  throw new Refusal('passkey_refused');
}

/** The user as authenticators keep it: the id of the account, in base64url. */
export function userHandleOf(userId: string): string {
  return Buffer.from(userId, 'utf8').toString('base64url');
}
