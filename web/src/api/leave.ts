import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { clearSession } from './session.ts';

let leaving = false;
// Brought back by the back button, the page may leave again. The first showing may come after somebody has left already.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) leaving = false;
});

export function isLeaving(): boolean {
  return leaving;
}

/**
 * Leaves the application for an address, once, after a pause: several causes at once would each begin the loading anew.
 * Stays where that is no longer `wanted` by the end of the pause: the user went elsewhere meanwhile.
 */
export function leaveFor(address: string, pauseMs: number, wanted: () => boolean): void {
  if (leaving) return;
  leaving = true;
  setTimeout(() => {
    if (wanted()) location.assign(address);
    else leaving = false;
  }, pauseMs);
}

/**
 * Ends the session, forgets it and goes home after a pause; stays, and throws, where the end fails. The news that the session
 * is over may come before the answer, and leaving with it would lose the answer: its sentence, and that it takes the cookies.
 */
export async function leaveAfter(end: () => Promise<void>, pauseMs: number): Promise<void> {
  if (leaving) return;
  leaving = true;
  try {
    await end();
  } catch (error) {
    leaving = false;
    throw error;
  }
  clearSession();
  setTimeout(() => location.assign(paths.landing), pauseMs);
}
