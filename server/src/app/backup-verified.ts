import * as z from 'zod/mini';
import type { Database } from '../platform/database.ts';
import { defineSetting, getSetting, setSetting } from '../platform/settings.ts';

/** When the backup was made that was verified last. */
const backupVerified = defineSetting('internal.backupVerifiedAt', z.string(), '');

export async function readBackupVerified(db: Database): Promise<Date | undefined> {
  const text = await getSetting(db, backupVerified);
  return text === '' ? undefined : new Date(text);
}

export async function noteVerified(db: Database, madeAt: Date, now: Date): Promise<void> {
  const known = await readBackupVerified(db);
  if (!known || known < madeAt) await setSetting(db, backupVerified, madeAt.toISOString(), now);
}
