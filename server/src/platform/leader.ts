import pg from 'pg';
import type { Log } from './log.ts';

/**
 * Of all workers of a database one leads: the one whose session holds an advisory lock. Who leads runs what has to run once,
 * sweeps and proofs. Two may lead for a moment, when one was stopped and goes on, so nothing may depend on there being one.
 */
export interface Leader {
  isLeading(): boolean;
  close(): Promise<void>;
}

/** The lock; the ledger's day locks have another first number. */
const LOCK = [1406, 1] as const;

export interface LeaderTimes {
  /** How often a leader shows that it lives, and another worker tries to become it. */
  readonly beatMs: number;
  /** PostgreSQL ends the session of a leader that is silent for this long: its machine is gone, or it hangs. */
  readonly silentMs: number;
}

const usual: LeaderTimes = { beatMs: 5_000, silentMs: 30_000 };

/** Needs a direct connection to PostgreSQL, because a lock belongs to a session. */
export async function openLeader(url: string, log: Log, { beatMs, silentMs }: LeaderTimes = usual): Promise<Leader> {
  let client: pg.Client | undefined;
  let leading = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const connect = async (): Promise<pg.Client> => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'raha leader',
      keepAlive: true,
      connectionTimeoutMillis: beatMs,
      query_timeout: beatMs,
    });
    next.on('error', () => undefined);
    next.on('end', () => {
      if (client === next) [client, leading] = [undefined, false];
    });
    try {
      await next.connect();
      await next.query(`SET idle_session_timeout = ${silentMs}`);
    } catch (error) {
      void next.end().catch(() => undefined);
      throw error;
    }
    return next;
  };
  const beat = async (): Promise<void> => {
    client ??= await connect();
    if (leading) return void (await client.query('SELECT 1'));
    const { rows } = await client.query<{ got: boolean }>(`SELECT pg_try_advisory_lock(${LOCK.join(', ')}) AS got`);
    leading = rows[0]?.got ?? false;
    if (leading) log.info('this worker leads: it runs sweeps and proofs');
  };
  const lose = (err: unknown) => {
    log.warn({ err, wasLeading: leading }, 'the connection of the leading worker broke');
    const lost = client;
    [client, leading] = [undefined, false];
    void lost?.end().catch(() => undefined);
  };
  const round = async (): Promise<void> => {
    await beat().catch(lose);
    if (!closed) timer = setTimeout(() => void round(), beatMs);
  };
  await round();
  return {
    isLeading: () => leading,
    async close() {
      closed = true;
      clearTimeout(timer);
      leading = false;
      await client?.end().catch(() => undefined);
    },
  };
}
