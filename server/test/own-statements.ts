import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type ChannelListener, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import pg from 'pg';
import { Exchange } from '../src/platform/statements.ts';

/** Calls PostgreSQL as usual. */
type Run = () => unknown;
/** Sees a statement before it is sent, and runs it. */
type Seen = (text: string, run: Run, client: pg.Client) => unknown;

const current = new AsyncLocalStorage<object>();

const textOf = (query: unknown) => (typeof query === 'string' ? query : ((query as { text?: string })?.text ?? ''));

/** Names the measured work in the requests that it sends. */
const HEADER = 'x-test-work';

/**
 * Runs `work` and shows `see` each statement of it and of the requests that it sends with `fetch` to this process. Whatever else the
 * process does, as jobs, timers and the requests that these send, is not shown: when that runs depends on the speed of the machine.
 */
export async function withStatements(see: Seen, work: () => Promise<unknown>): Promise<void> {
  const { query } = pg.Client.prototype;
  const mark = {};
  const name = randomUUID();
  const sign: ChannelListener = (message) => {
    const { request } = message as { request: { addHeader(name: string, value: string): void } };
    if (current.getStore() === mark) request.addHeader(HEADER, name);
  };
  const enter: ChannelListener = (message) => {
    const { request } = message as { request: IncomingMessage };
    if (request.headers[HEADER] === name) current.enterWith(mark);
  };
  pg.Client.prototype.query = function shown(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const texts = first instanceof Exchange ? first.statements.map(({ text }) => text) : [textOf(first)];
    const run = () => (query as (...all: unknown[]) => unknown).apply(this, args);
    // Jobs and the bus have connections of another class.
    const isShown = current.getStore() === mark && this.constructor.name === 'PreparingClient';
    // Those that are sent together are shown one by one, and sent when the last has been shown.
    return isShown ? texts.reduceRight<Run>((next, text) => () => see(text, next, this), run)() : run();
  } as typeof query;
  subscribe('undici:request:create', sign);
  subscribe('http.server.request.start', enter);
  try {
    await current.run(mark, work);
  } finally {
    unsubscribe('undici:request:create', sign);
    unsubscribe('http.server.request.start', enter);
    pg.Client.prototype.query = query;
  }
}
