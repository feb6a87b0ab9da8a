/**
 * Both daemons repeat a lost message after two seconds, and strongSwan after 5.6 seconds once more. OpenVPN drops a
 * session by itself five seconds after it told the device to end.
 */
const GRACE_MS = 7_000;
/** Pause between checks of the devices that are still connected; with many devices a check takes a while, too. */
const CHECK_MS = 500;
const REPEAT_MS = 1_000;

/** The sessions of a daemon. Calls fail when the daemon ends, and every session with it. */
export interface Sessions {
  listPresent(): Promise<readonly string[]>;
  end(names: readonly string[]): Promise<void>;
  /** Tells the devices again to disconnect, where the daemon may have told them in vain. Harmless for those that know. */
  repeat?(names: readonly string[]): Promise<unknown>;
}

/**
 * Devices that were told to disconnect and may come back later. A device that did not receive the message believes that it
 * is connected until its own keepalive fails, half a minute later. So it has seven seconds before its session is removed.
 * Nobody has to wait for that: the firewall passes no packet of these devices any more.
 */
export interface GracefulDisconnects {
  start(names: readonly string[], sessions: Sessions): void;
  /** Returns those of them that are still disconnecting. The caller ends their sessions before it lets them in again. */
  cancel(names: readonly string[]): string[];
}

export function createGracefulDisconnects(): GracefulDisconnects {
  /** Each device with the group that it disconnects in. */
  const pending = new Map<string, object>();

  async function disconnect(names: readonly string[], sessions: Sessions, group: object): Promise<void> {
    const remaining = () => names.filter((name) => pending.get(name) === group);
    try {
      for (let waitedMs = 0; waitedMs < GRACE_MS && remaining().length > 0; waitedMs += CHECK_MS) {
        if (waitedMs > 0 && waitedMs % REPEAT_MS === 0) await sessions.repeat?.(remaining());
        await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
        const present = new Set(await sessions.listPresent());
        for (const name of remaining()) if (!present.has(name)) pending.delete(name);
      }
      if (remaining().length > 0) await sessions.end(remaining());
    } finally {
      for (const name of remaining()) pending.delete(name);
    }
  }

  return {
    start: (names, sessions) => {
      const group = {};
      for (const name of names) pending.set(name, group);
      disconnect(names, sessions, group).catch(() => {});
    },
    cancel: (names) => names.filter((name) => pending.delete(name)),
  };
}
