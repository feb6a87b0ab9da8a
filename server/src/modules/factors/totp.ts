import { limits } from '@raha/contract/limits.ts';
import { Secret, TOTP } from 'otpauth';
import { addSeconds } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/database.ts';
import { newBytes } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { lockRemaining, type User } from '../accounts/users.ts';
import { brandName } from '../site/settings.ts';
import { confirmTotpRow, deleteTotp, lockTotp, putTotp, type TotpRow, updateTotpUse } from './code-tables.ts';
import { type FactorDeps, notifyChange } from './notify-change.ts';
import { dropUselessCodes, makeFirstCodes } from './recovery-codes.ts';
import { stepOf } from './rules.ts';

/** 160 bits, as RFC 4226 (section 4) recommends. */
const SECRET_BYTES = 20;

/**
 * Makes the secret of an authenticator app. It counts once `confirmTotp` got a code of it; starting again replaces it.
 * Refuses `totp_exists`.
 */
export async function startTotp(deps: FactorDeps, user: User): Promise<{ secret: string; uri: string }> {
  const now = deps.clock.now();
  const secret = Secret.fromHex(newBytes(SECRET_BYTES).toString('hex')).base32;
  return await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, user.id);
    if ((await lockTotp(tx, user.id))?.confirmed_at) throw new Refusal('totp_exists');
    await putTotp(tx, user.id, deps.vault.seal(secret, secretContext(user.id)), now);
    const issuer = await getSetting(tx, brandName);
    return { secret, uri: totpOf(secret, { issuer, label: user.email }).toString() };
  });
}

/**
 * Confirms a started secret by its first code. Returns the recovery codes if the account had none. Refuses
 * `totp_not_started`, `totp_exists`, `totp_wrong`.
 */
export async function confirmTotp(deps: FactorDeps, user: User, code: string): Promise<string[] | null> {
  const now = deps.clock.now();
  return await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, user.id);
    const row = await lockTotp(tx, user.id);
    if (row?.confirmed_at) throw new Refusal('totp_exists');
    if (!row || addSeconds(row.created_at, limits.factors.totpSetupSeconds) < now)
      throw new Refusal('totp_not_started');
    const step = acceptedStep(deps, user.id, row, code);
    if (step === undefined) throw new Refusal('totp_wrong');
    await confirmTotpRow(tx, user.id, step, now);
    await notifyChange(tx, deps, user, 'totp_added');
    return await makeFirstCodes(tx, deps, user.id);
  });
}

/** Uses a code of the app; false if it is wrong or was used before, and for accounts without an app. */
export async function useTotp(
  tx: Tx,
  deps: Pick<FactorDeps, 'clock' | 'vault'>,
  userId: string,
  code: string,
): Promise<boolean> {
  const row = await lockTotp(tx, userId);
  if (!row?.confirmed_at) return false;
  const step = acceptedStep(deps, userId, row, code);
  if (step === undefined) return false;
  await updateTotpUse(tx, userId, step, deps.clock.now());
  return true;
}

/** Refuses `not_found` if no app is set up. */
export async function removeTotp(deps: FactorDeps, user: User): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockRemaining(tx, user.id);
    if (!(await deleteTotp(tx, user.id))) throw new Refusal('not_found');
    await dropUselessCodes(tx, user.id);
    await notifyChange(tx, deps, user, 'totp_removed');
  });
}

/** The time step of a right code that is newer than the last accepted one; clocks may be half a minute apart. */
function acceptedStep(
  deps: Pick<FactorDeps, 'clock' | 'vault'>,
  userId: string,
  row: TotpRow,
  code: string,
): bigint | undefined {
  const now = deps.clock.now();
  const totp = totpOf(deps.vault.open(row.secret_sealed, secretContext(userId)));
  const delta = totp.validate({ token: code, timestamp: now.getTime(), window: 1 });
  if (delta === null) return undefined;
  const step = stepOf(now, delta);
  return step > row.last_step ? step : undefined;
}

/** SHA-1, six digits and 30 seconds: what every authenticator app understands. */
function totpOf(secret: string, names: { readonly issuer?: string; readonly label?: string } = {}): TOTP {
  return new TOTP({ ...names, secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 });
}

export function secretContext(userId: string): string {
  return `totp_secret.secret:${userId}`;
}
