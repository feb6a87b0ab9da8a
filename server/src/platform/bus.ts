import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { Database, Executor } from './database.ts';
import { breakConnection, breakWhenAway, type DatabaseWatch } from './database-watch.ts';
import type { Log } from './log.ts';

/**
 * A change signal between server processes: the payload names what has changed and should be read again. Carried by
 * LISTEN/NOTIFY. Every listener also polls, so that a lost signal costs seconds, never correctness. Each module declares
 * its own in `signals.ts`.
 */
export interface ChangeSignal<P> {
  readonly topic: string;
  /** Never set; it carries the type. */
  readonly payload?: P;
}

export function defineSignal<P>(topic: string): ChangeSignal<P> {
  return { topic };
}

export interface Bus {
  /** Within a transaction: delivered when it commits, never when it rolls back. */
  announce<P>(tx: Executor, signal: ChangeSignal<P>, payload: P): Promise<void>;
  /** Outside a transaction, for frequent changes: equal signals are sent at most once in 100 ms. */
  announceSoon<P>(signal: ChangeSignal<P>, payload: P): void;
  subscribe<P>(signal: ChangeSignal<P>, listener: (payload: P) => void): () => void;
  /** Called when signals may have been lost: the listener reads everything again. */
  onReconnect(listener: () => void): () => void;
  close(): Promise<void>;
}

const CHANNEL = 'raha_changes';
const CONNECT_MS = 5_000;

export async function openBus(url: string, db: Database, log: Log, watch?: DatabaseWatch): Promise<Bus> {
  const listeners = new Map<string, Set<(payload: never) => void>>();
  const reconnectListeners = new Set<() => void>();
  const deliver = (message: string) => {
    const [topic, payload] = JSON.parse(message) as [string, never];
    for (const listener of listeners.get(topic) ?? []) listener(payload);
  };
  const reconnected = () => {
    for (const listener of reconnectListeners) listener();
  };
  const soon = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const messages = [...soon];
    soon.clear();
    for (const message of messages) {
      notify(db, message).catch((err: unknown) => log.debug({ err }, 'a change signal was not sent'));
    }
  };
  const connection = await listenForever(url, { deliver, reconnected }, log, watch);
  return {
    announce: (tx, { topic }, payload) => notify(tx, JSON.stringify([topic, payload])),
    announceSoon({ topic }, payload) {
      soon.add(JSON.stringify([topic, payload]));
      timer ??= setTimeout(flush, 100);
    },
    subscribe({ topic }, listener) {
      const own = listeners.get(topic) ?? new Set();
      listeners.set(topic, own.add(listener));
      return () => own.delete(listener);
    },
    onReconnect(listener) {
      reconnectListeners.add(listener);
      return () => reconnectListeners.delete(listener);
    },
    async close() {
      clearTimeout(timer);
      await connection.close();
    },
  };
}

async function notify(db: Executor, message: string): Promise<void> {
  await sql`SELECT ${notification(message)}`.execute(db);
}

/** A signal as part of the statement that makes the change, for programs without a bus. */
export function notifyChange<P>({ topic }: ChangeSignal<P>, payload: P): RawBuilder<unknown> {
  return notification(JSON.stringify([topic, payload]));
}

function notification(message: string): RawBuilder<unknown> {
  return sql`pg_notify(${CHANNEL}, ${message})`;
}

interface Listener {
  deliver(message: string): void;
  reconnected(): void;
}

/** Keeps one LISTEN session open and reconnects after a pause. */
async function listenForever(url: string, listener: Listener, log: Log, watch: DatabaseWatch | undefined) {
  let closed = false;
  let client: pg.Client | undefined;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      connectionString: url,
      application_name: 'raha bus',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
    });
    if (watch) breakWhenAway(next, watch);
    next.on('notification', (message) => {
      if (message.payload) listener.deliver(message.payload);
    });
    next.on('error', (err) => log.warn({ err }, 'the connection for change signals broke'));
    next.on('end', () => {
      if (!closed && client === next) retry();
    });
    try {
      await next.connect();
      await next.query(`LISTEN ${CHANNEL}`);
    } catch (error) {
      // A server in recovery takes the connection and refuses to listen: it would keep one session per attempt.
      breakConnection(next);
      throw error;
    }
    client = next;
    listener.reconnected();
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
