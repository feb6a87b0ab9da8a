import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { clearSession } from './session.ts';

let leaving = false;
// After the back button the page may leave again. The first `pageshow` may come after leaving has begun.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) leaving = false;
});

export function isLeaving(): boolean {
  return leaving;
}

/**
 * Leaves the application for an address after a pause, once: several causes at once would each restart the loading.
 * Does nothing if it is no longer `wanted` at the end of the pause because the user has gone elsewhere.
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
 * Ends the session, clears it and goes to the landing page after a pause; stays and throws if the call fails. The event
 * that the session is over may arrive before the response; leaving at once would lose the response, its message and its
 * cookies.
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
