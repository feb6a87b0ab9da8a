import type { Tx } from '../../platform/database.ts';
import { insertDevice } from './device-tables.ts';
import { hashDevice } from './requester.ts';

/** Notes that a browser signs in. True if it is new to an account that knows others: its owner is then notified. */
export async function noteDevice(tx: Tx, userId: string, cookie: string, now: Date): Promise<boolean> {
  const { isNew, devicesBefore } = await insertDevice(tx, userId, hashDevice(cookie), now);
  return isNew && devicesBefore > 0;
}
