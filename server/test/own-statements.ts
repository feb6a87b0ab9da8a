import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import pg from 'pg';

/** Calls PostgreSQL as usual. */
type Run = () => unknown;
/** Sees a statement before it is sent, and runs it. */
type Seen = (text: string, run: Run, client: pg.Client) => unknown;

const current = new AsyncLocalStorage<object>();

/**
 * Runs `work` and shows `see` each statement of it and of the requests that this process answers meanwhile. Whatever else the process
 * does, as the jobs and timers of the server, is not shown: when that runs depends on the speed of the machine.
 */
export async function withStatements(see: Seen, work: () => Promise<unknown>): Promise<void> {
  const { query } = pg.Client.prototype;
  const mark = {};
  const enter = () => current.enterWith(mark);
  pg.Client.prototype.query = function shown(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === 'string' ? first : ((first as { text?: string })?.text ?? '');
    const run = () => (query as (...all: unknown[]) => unknown).apply(this, args);
    // Jobs and the bus have connections of another class.
    const isShown = current.getStore() === mark && this.constructor.name === 'PreparingClient';
    return isShown ? see(text, run, this) : run();
  } as typeof query;
  subscribe('http.server.request.start', enter);
  try {
    await current.run(mark, work);
  } finally {
    unsubscribe('http.server.request.start', enter);
    pg.Client.prototype.query = query;
  }
}
