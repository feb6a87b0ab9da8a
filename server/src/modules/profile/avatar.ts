import { limits } from '@raha/contract/limits.ts';
import type { Bus } from '../../platform/bus.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import { toSquareWebp } from '../../platform/square-image.ts';
import { findPicture, removePicture, setPicture } from '../accounts/pictures.ts';
import { accountChanged } from '../accounts/signals.ts';
import { lockRemaining, lockUser } from '../accounts/users.ts';

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly bus: Bus;
}

/** Replaces a user's picture; returns its id. Refuses what is no picture or too large (`ImageProblem` of the field). */
export async function changeAvatar(deps: Deps, userId: string, file: Buffer): Promise<string> {
  const webp = await toSquareWebp(file, limits.avatar);
  if (typeof webp === 'string') throw new Refusal('invalid_input', { fields: { avatar: webp } });
  const now = deps.clock.now();
  const id = newId(now);
  await inTransaction(deps.db, async (tx) => {
    // Of two concurrent uploads the later one stays; an account that was erased meanwhile gets none.
    await lockRemaining(tx, userId);
    await setPicture(tx, { id, userId, webp }, now);
    await deps.bus.announce(tx, accountChanged, { userId });
  });
  return id;
}

export async function removeAvatar(deps: Deps, userId: string): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    await lockUser(tx, userId);
    await removePicture(tx, userId);
    await deps.bus.announce(tx, accountChanged, { userId });
  });
}

/** Refuses `not_found` for pictures that were replaced or removed. */
export async function readAvatar(db: Executor, id: string): Promise<Buffer> {
  const webp = await findPicture(db, id);
  if (!webp) throw new Refusal('not_found');
  return webp;
}
