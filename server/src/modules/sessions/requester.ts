import { createHash } from 'node:crypto';
import type { Executor } from '../../platform/database.ts';
import type { Device } from './device.ts';
import type { Requester } from './rules.ts';
import { isKnownDevice } from './tables.ts';

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
  return { key: `browser:${hash.toString('hex')}`, isKnown: await isKnownDevice(db, userId, hash) };
}

/** Cookies are stored as hashes. */
export function hashDevice(cookie: string): Buffer {
  return createHash('sha256').update(cookie).digest();
}
