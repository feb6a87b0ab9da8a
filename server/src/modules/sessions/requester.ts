import { createHash } from 'node:crypto';
import { type Executor, readTogether } from '../../platform/database.ts';
import { findByEmail, userWithPassword } from '../accounts/users.ts';
import type { Device } from './device.ts';
import { isKnownDevice, knownDevice } from './device-tables.ts';
import type { Requester } from './rules.ts';

/** The key of all programs that keep no cookies. */
export const ANONYMOUS = 'anonymous';

/** A signed-in user's own session. */
export function sessionRequester(sessionId: string): Requester {
  return { key: `session:${sessionId}`, isKnown: true };
}

/**
 * A browser that is not signed in; `userId` is the account it asks for, if that exists. The same work for every
 * address.
 */
export async function browserRequester(db: Executor, device: Device, userId: string | undefined): Promise<Requester> {
  if (device.cookie === undefined) return { key: ANONYMOUS, isKnown: false };
  const hash = hashDevice(device.cookie);
  return { key: keyOf(hash), isKnown: await isKnownDevice(db, userId, hash) };
}

export interface AccountAndBrowser {
  readonly account: Awaited<ReturnType<typeof findByEmail>>;
  readonly requester: Requester;
  /** Some account knows the browser, this one or another. */
  readonly isKnownToAny: boolean;
}

/** The account of an address, and the browser that asks for it, found together: the same work for every address. */
export async function findAccount(db: Executor, device: Device, email: string): Promise<AccountAndBrowser> {
  if (device.cookie === undefined) {
    const requester = { key: ANONYMOUS, isKnown: false };
    return { account: await findByEmail(db, email), requester, isKnownToAny: false };
  }
  const deviceHash = hashDevice(device.cookie);
  const statements = [userWithPassword({ email }), knownDevice({ email, deviceHash })] as const;
  const [[account], [browser]] = await readTogether(db, statements);
  const requester = { key: keyOf(deviceHash), isKnown: browser?.known === true };
  return { account, requester, isKnownToAny: browser?.known_to_any === true };
}

const keyOf = (hash: Buffer) => `browser:${hash.toString('hex')}`;

/** Cookies are stored as hashes. */
export function hashDevice(cookie: string): Buffer {
  return createHash('sha256').update(cookie).digest();
}
