import { rotateKeys } from '../app/key-rotation.ts';
import { actor, type Commands, type Context, type Result } from './context.ts';

/** The master key. */
export const keyCommands: Commands = {
  'keys rotate': { usage: '', run: rotateCommand },
};

async function rotateCommand(context: Context): Promise<Result> {
  const { step, file, left } = await rotateKeys(context, actor);
  const sentences = {
    added: `A new key is the first line of ${file}. Back the file up, restart every server process, then run this again.`,
    sealing: `The new key seals from now on; ${left} values are sealed again in the background. Run this again tomorrow.`,
    waiting: `${left} values still need the old key, or tokens signed with it are still valid (six hours). Run this again tomorrow.`,
    finished: `Everything is under the new key, and the old one is gone from ${file}. Restart the server at your convenience; keep the old key with the backups that were made under it.`,
  };
  return { data: { step, file, left }, lines: [sentences[step]] };
}
