/**
 * Both daemons say a word that was lost again after two seconds, and strongSwan after 5.6 once more; OpenVPN forgets by
 * itself whom it told five seconds ago.
 */
const PATIENCE_MS = 7_000;
/** How long between two looks who has left: with many devices a look is long, too. */
const LOOK_MS = 500;
const TELL_AGAIN_MS = 1_000;

/** A daemon, about its sessions. Fails when the daemon ends, and every session with it. */
export interface Sessions {
  listPresent(): Promise<readonly string[]>;
  end(names: readonly string[]): Promise<void>;
  /** Where the daemon may have said it in vain; those who have heard it may be told again. */
  tellAgain?(names: readonly string[]): Promise<unknown>;
}

/**
 * Devices that were told to end and may come back. One that has not heard it believes itself connected until its own
 * keepalive fails, half a minute later: so it has seven seconds before its session is taken away. Nobody waits for that:
 * no packet of theirs passes the firewall any more.
 */
export interface Farewells {
  begin(names: readonly string[], sessions: Sessions): void;
  /** Gives those of them that are still being seen off, and leaves them to the caller: to be let in again, they are ended. */
  interrupt(names: readonly string[]): string[];
}

export function createFarewells(): Farewells {
  /** Each with the farewell that it is part of. */
  const leaving = new Map<string, object>();

  async function seeOff(names: readonly string[], sessions: Sessions, farewell: object): Promise<void> {
    const staying = () => names.filter((name) => leaving.get(name) === farewell);
    try {
      for (let waitedMs = 0; waitedMs < PATIENCE_MS && staying().length > 0; waitedMs += LOOK_MS) {
        if (waitedMs > 0 && waitedMs % TELL_AGAIN_MS === 0) await sessions.tellAgain?.(staying());
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
        const present = new Set(await sessions.listPresent());
        for (const name of staying()) if (!present.has(name)) leaving.delete(name);
      }
      if (staying().length > 0) await sessions.end(staying());
    } finally {
      for (const name of staying()) leaving.delete(name);
    }
  }

  return {
    begin: (names, sessions) => {
      const farewell = {};
      for (const name of names) leaving.set(name, farewell);
      seeOff(names, sessions, farewell).catch(() => {});
    },
    interrupt: (names) => names.filter((name) => leaving.delete(name)),
  };
}
