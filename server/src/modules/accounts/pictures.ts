import type { Executor, Tx } from '../../platform/database.ts';
import { removeAvatar, selectAvatar, upsertAvatar } from './avatar-tables.ts';

/** Gives a locked user a picture, in place of the one before. */
export async function givePicture(
  tx: Tx,
  picture: { readonly id: string; readonly userId: string; readonly webp: Buffer },
  now: Date,
): Promise<void> {
  await upsertAvatar(tx, picture, now);
}

export async function takePicture(tx: Tx, userId: string): Promise<void> {
  await removeAvatar(tx, userId);
}

export async function findPicture(db: Executor, id: string): Promise<Buffer | undefined> {
  return await selectAvatar(db, id);
}
