import { sql } from 'kysely';
import pg from 'pg';
import type { Database, Executor } from './database.ts';
import type { Log } from './log.ts';

/**
 * Hints between server processes: "something about X changed, look". Carried by LISTEN/NOTIFY; whoever listens also
 * polls, so a lost hint costs seconds, never truth.
 */
export interface Bus {
  /** Within a transaction: delivered when it commits, not at all when it rolls back. */
  announce(tx: Executor, hint: Hint): Promise<void>;
  /** Outside a transaction, at most one notification per topic and key in 100 ms: for things that happen all the time. */
  announceSoon(hint: Hint): void;
  subscribe(listener: (hint: Hint) => void): () => void;
  close(): Promise<void>;
}

export type Hint =
  | { topic: 'node-state'; nodeId: string }
  | { topic: 'node-report'; nodeId: string }
  | { topic: 'user'; userId: string; event: UserEvent }
  | { topic: 'reconnected' };

/** What the panel of one user is told; the shapes are the contract's realtime events without their lookups. */
export type UserEvent =
  | { type: 'balance' }
  | { type: 'config'; configId: string }
  | { type: 'usage'; configId: string }
  | { type: 'connection'; configId: string; connected: boolean }
  | { type: 'payment'; transactionId: string; status: string }
  | { type: 'account' }
  | { type: 'notification' }
  | { type: 'session-ended'; sessionId: string };

const CHANNEL = 'raha';

export async function openBus(url: string, db: Database, log: Log): Promise<Bus> {
  const listeners = new Set<(hint: Hint) => void>();
  const emit = (hint: Hint) => {
    for (const listener of listeners) listener(hint);
  };
  const soon = new Map<string, Hint>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const hints = [...soon.values()];
    soon.clear();
    for (const hint of hints) {
      sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify(hint)})`
        .execute(db)
        .catch((err: unknown) => log.debug({ err }, 'a hint was not sent'));
    }
  };
  const connection = await listenForever(url, emit, log);
  return {
    async announce(tx, hint) {
      await sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify(hint)})`.execute(tx);
    },
    announceSoon(hint) {
      soon.set(JSON.stringify(hint), hint);
      timer ??= setTimeout(flush, 100);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      clearTimeout(timer);
      await connection.close();
    },
  };
}

/** Keeps one LISTEN session open, reconnecting with a pause; says `reconnected` so that missed hints are looked up. */
async function listenForever(url: string, emit: (hint: Hint) => void, log: Log) {
  let closed = false;
  let client: pg.Client | undefined;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({ connectionString: url, application_name: 'raha bus', keepAlive: true });
    next.on('notification', (message) => {
      if (message.payload) emit(JSON.parse(message.payload) as Hint);
    });
    next.on('error', (err) => log.warn({ err }, 'the hint connection broke'));
    next.on('end', () => {
      if (!closed && client === next) retry();
    });
    await next.connect();
    await next.query(`LISTEN ${CHANNEL}`);
    client = next;
    emit({ topic: 'reconnected' });
  };
  const retry = () => {
    setTimeout(() => {
      if (!closed) connect().catch(retry);
    }, 500).unref();
  };
  await connect();
  return {
    async close() {
      closed = true;
      await client?.end();
    },
  };
}
