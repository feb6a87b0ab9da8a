import { limits } from '@raha/contract/limits.ts';
import type { Passkey, PasskeyRegistration, RegistrationOptions } from '@raha/contract/public/factors.ts';
import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { inTransaction, violatedConstraint } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { lockRemaining, type User } from '../accounts/users.ts';
import { brandName } from '../site/settings.ts';
import { describePasskey } from './list-factors.ts';
import { type FactorDeps, notifyChange } from './notify-change.ts';
import { dropUselessCodes, makeFirstCodes } from './recovery-codes.ts';
import {
  deletePasskey,
  insertPasskey,
  type PasskeyRow,
  selectPasskeys,
  updatePasskeyName,
  updateSecondStep,
} from './tables.ts';
import {
  describeCredential,
  getRelyingParty,
  openChallenge,
  refuseCredential,
  useChallenge,
  userHandleOf,
} from './verify-passkey.ts';

/** EdDSA, ES256 and RS256 (the IANA registry of COSE algorithms): every authenticator knows one of them. */
const ALGORITHMS = [-8, -7, -257];

/**
 * Options for creating a passkey that names its user and verifies them. The caller has confirmed to be the owner before, so
 * the challenge is the proof for `addPasskey`. Refuses `passkey_unavailable` and `passkey_limit`.
 */
export async function startPasskey(deps: FactorDeps, user: User, requester: string): Promise<RegistrationOptions> {
  const party = getRelyingParty(deps);
  const known = await selectPasskeys(deps.db, user.id);
  refuseTooMany(known);
  return {
    challenge: await openChallenge(deps, { purpose: 'enrol', requester, userId: user.id }),
    rp: { id: party.id, name: await getSetting(deps.db, brandName) },
    user: { id: userHandleOf(user.id), name: user.email, displayName: user.name },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    timeout: limits.factors.passkeyChallengeSeconds * 1000,
    attestation: 'none',
    excludeCredentials: known.map(describeCredential),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
  };
}

/** Adds a created passkey. Refuses `passkey_refused`, `passkey_taken` and `passkey_limit`. */
export async function addPasskey(
  deps: FactorDeps,
  user: User,
  request: { readonly name: string; readonly credential: PasskeyRegistration; readonly requester: string },
): Promise<Passkey> {
  const row = await verifyRegistration(deps, user, request);
  try {
    await inTransaction(deps.db, async (tx) => {
      await lockRemaining(tx, user.id);
      refuseTooMany(await selectPasskeys(tx, user.id));
      await insertPasskey(tx, row);
      await notifyChange(tx, deps, user, 'passkey_added', row.name);
    });
  } catch (error) {
    if (violatedConstraint(error) === 'passkey_credential_id_key') throw new Refusal('passkey_taken');
    throw error;
  }
  return describePasskey(row);
}

async function verifyRegistration(
  deps: FactorDeps,
  user: User,
  { name, credential, requester }: Parameters<typeof addPasskey>[2],
): Promise<PasskeyRow> {
  const { id, origin } = getRelyingParty(deps);
  const scope = { purpose: 'enrol', requester, userId: user.id } as const;
  const expectedChallenge = await useChallenge(deps, scope, credential.response.clientDataJSON);
  const { registrationInfo } = await verifyRegistrationResponse({
    response: credential as never,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => refuseCredential(deps, error));
  if (!registrationInfo) throw new Refusal('passkey_refused');
  const now = deps.clock.now();
  const created = registrationInfo.credential;
  return {
    id: newId(now),
    user_id: user.id,
    credential_id: created.id,
    public_key: Buffer.from(created.publicKey),
    sign_count: BigInt(created.counter),
    transports: credential.response.transports ?? [],
    name,
    is_second_step: false,
    backed_up: registrationInfo.credentialBackedUp,
    created_at: now,
    last_used_at: null,
  };
}

/** Refuses `not_found`: asked before a proof of self, so that a mistyped id does not use up a code. */
export async function requirePasskey(deps: FactorDeps, userId: string, id: string): Promise<void> {
  const own = await selectPasskeys(deps.db, userId);
  if (!own.some((passkey) => passkey.id === id)) throw new Refusal('not_found');
}

/** Refuses `not_found`. */
export async function renamePasskey(deps: FactorDeps, user: User, id: string, name: string): Promise<Passkey> {
  return await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, user.id);
    if (!(await updatePasskeyName(tx, user.id, id, name))) throw new Refusal('not_found');
    const renamed = (await selectPasskeys(tx, user.id)).find((passkey) => passkey.id === id);
    if (!renamed) throw new Refusal('not_found');
    return describePasskey(renamed);
  });
}

/**
 * Marks a passkey as second step, or no longer. Returns the recovery codes if the account has got its first second step by
 * this. Refuses `not_found`.
 */
export async function setPasskeySecondStep(
  deps: FactorDeps,
  user: User,
  id: string,
  isOn: boolean,
): Promise<string[] | null> {
  return await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, user.id);
    const before = (await selectPasskeys(tx, user.id)).find((passkey) => passkey.id === id);
    if (!before) throw new Refusal('not_found');
    if (before.is_second_step === isOn) return null;
    await updateSecondStep(tx, user.id, id, isOn);
    await notifyChange(tx, deps, user, isOn ? 'second_step_on' : 'second_step_off', before.name);
    if (isOn) return await makeFirstCodes(tx, deps, user.id);
    await dropUselessCodes(tx, user.id);
    return null;
  });
}

/** Refuses `not_found`. */
export async function removePasskey(deps: FactorDeps, user: User, id: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, user.id);
    const name = await deletePasskey(tx, user.id, id);
    if (name === undefined) throw new Refusal('not_found');
    await dropUselessCodes(tx, user.id);
    await notifyChange(tx, deps, user, 'passkey_removed', name);
  });
}

function refuseTooMany(known: readonly PasskeyRow[]): void {
  const count = limits.factors.passkeysPerUser;
  if (known.length >= count) throw new Refusal('passkey_limit', { details: { count } });
}
