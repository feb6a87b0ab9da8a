import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from './log.ts';

/**
 * Whether the database can be used, from one session that asks it every second. A database that hangs, or whose machine is gone,
 * sends no error: every query would wait for it, and every caller for a query. When it is silent for too long, all connections are broken,
 * so that their queries fail, and new queries fail at once until it answers again.
 *
 * `recovering`: a standby, or a server that replays its log. What it knows may be old, so it is not asked.
 */
export type DatabaseState = 'up' | 'read-only' | 'recovering' | 'away';

export interface DatabaseWatch {
  state(): DatabaseState;
  /** Throws `DatabaseAway` if there is no use in asking the database. */
  require(): void;
  /** Calls `listener` whenever the database goes away. Returns what ends that. */
  onAway(listener: () => void): () => void;
  close(): Promise<void>;
}

export class DatabaseAway extends Error {
  override readonly name = 'DatabaseAway';
}

export interface WatchTimes {
  /** An answer that takes longer than this is none. */
  readonly silentMs: number;
  readonly beatMs?: number;
}

const BEAT_MS = 1_000;
/** While it is away: soon after it is back, it is used. */
const AWAY_BEAT_MS = 250;
const TOO_MANY_CONNECTIONS = '53300';

const QUESTION = `
  SELECT CASE WHEN pg_is_in_recovery() THEN 'recovering'
    WHEN current_setting('default_transaction_read_only') = 'on' THEN 'read-only' ELSE 'up' END AS state
`;

export async function watchDatabase(
  url: string,
  log: Log,
  { silentMs, beatMs = BEAT_MS }: WatchTimes,
): Promise<DatabaseWatch> {
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  let client: pg.Client | undefined;
  let state: DatabaseState = 'up';

  const become = (next: DatabaseState) => {
    if (next === state || stop.signal.aborted) return;
    log.warn({ from: state, to: next }, 'the database changed its state');
    state = next;
    if (!isUsable(state)) for (const listener of [...listeners]) listener();
  };
  const forget = () => {
    if (client) breakConnection(client);
    client = undefined;
  };
  const ask = async (): Promise<DatabaseState> => {
    if (!client) {
      client = new pg.Client({ connectionString: url, application_name: 'raha watch', keepAlive: true });
      client.on('error', () => undefined);
      await client.connect();
    }
    const { rows } = await client.query<{ state: DatabaseState }>(QUESTION);
    return rows[0]?.state ?? 'away';
  };
  const beat = async (): Promise<DatabaseState> => {
    // A session may have been ended for itself: then another one is answered.
    for (const isLast of client ? [false, true] : [true]) {
      try {
        return await within(silentMs, ask());
      } catch (error) {
        forget();
        if (stop.signal.aborted) return state;
        if ((error as { code?: string }).code === TOO_MANY_CONNECTIONS) return state;
        if (isLast || error instanceof DatabaseAway) return 'away';
      }
    }
    return 'away';
  };
  const run = async () => {
    while (!stop.signal.aborted) {
      const pause = isUsable(state) ? beatMs : AWAY_BEAT_MS;
      await sleep(pause, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
      if (!stop.signal.aborted) become(await beat());
    }
  };
  become(await beat());
  const ended = run();
  return {
    state: () => state,
    require() {
      if (!isUsable(state)) throw new DatabaseAway(`The database is ${state}.`);
    },
    onAway(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      stop.abort();
      forget();
      await ended;
      forget();
    },
  };
}

export function isUsable(state: DatabaseState): boolean {
  return state === 'up' || state === 'read-only';
}

/** Fails what waits for this connection, now: `end` would wait for the other side. */
export function breakConnection(client: pg.Client): void {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** A client of which nothing waits any longer once the database is away. */
export function breakWhenAway(client: pg.Client, watch: Pick<DatabaseWatch, 'onAway'>): void {
  const forget = watch.onAway(() => breakConnection(client));
  client.once('end', forget);
}

const LATE_MS = 500;

/** Throws `DatabaseAway` when there is no answer in that time, as far as this process was awake to hear it. */
function within<T>(ms: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout;
    const wait = () => {
      const dueAt = performance.now() + ms;
      timer = setTimeout(() => {
        // A process that was stopped, or busy, has not read yet what arrived.
        if (performance.now() > dueAt + LATE_MS) return wait();
        setImmediate(() => reject(new DatabaseAway('The database does not answer.')));
      }, ms).unref();
    };
    wait();
    void answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
