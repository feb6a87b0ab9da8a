/** What the refresher needs from the browser; tests pass fakes. */
export interface RefreshWorld {
  readToken(): string | undefined;
  /** Runs the work while no other tab runs it. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Requests a new token from the server; undefined when the session is over. Throws when the server is unreachable.
   */
  requestToken(): Promise<string | undefined>;
}

/**
 * Exchanges a token that the server refused, or that is about to end, for a fresh one. Any number of calls in any
 * number of tabs cause one request: calls of this tab share one promise, tabs wait for each other's lock, and the next
 * holder of the lock finds the new token already in the cookie.
 */
export function createRefresher(world: RefreshWorld): (stale: string | undefined) => Promise<string | undefined> {
  let running: Promise<string | undefined> | undefined;
  return (stale) => {
    const current = world.readToken();
    if (current && current !== stale) return Promise.resolve(current);
    running ??= world
      .exclusively(async () => {
        const now = world.readToken();
        return now && now !== stale ? now : await world.requestToken();
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };
}

/** One at a time across all tabs of this origin, if the browser can (only secure origins have the lock manager). */
export function withTabLock<T>(work: () => Promise<T>): Promise<T> {
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks ? locks.request('raha-session', work) : work();
}
