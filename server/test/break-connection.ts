import pg from 'pg';

/** Where a connection to the database breaks: before the n-th statement, or after the n-th COMMIT, whose answer is lost. */
export type BreakAt = { readonly statement: number } | { readonly commit: number };

/**
 * Runs `work` and breaks the connection of the product at one point, as when the process or the database is killed there. Before a
 * statement, the transaction is undone; after a COMMIT, it stands and nobody was answered. Returns the statement, or undefined if
 * there were fewer. It counts every statement of this process but those of jobs, of the bus and of the test banks, so nothing else may
 * run meanwhile.
 */
export async function withBreak(at: BreakAt, work: () => Promise<unknown>): Promise<string | undefined> {
  const { query } = pg.Client.prototype;
  let seen = 0;
  let broken: string | undefined;
  pg.Client.prototype.query = function breaking(this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    const text = typeof first === 'string' ? first : ((first as { text?: string })?.text ?? '');
    const run = () => (query as (...all: unknown[]) => unknown).apply(this, args);
    const isCalls = this.constructor.name === 'PreparingClient' && !text.includes('test_bank_');
    if (!isCalls || broken !== undefined || ('commit' in at && !/^\s*commit/i.test(text))) return run();
    seen += 1;
    if (seen !== ('commit' in at ? at.commit : at.statement)) return run();
    broken = text;
    const { stream } = (this as unknown as { connection: { stream: { destroy(): void } } }).connection;
    if ('statement' in at) {
      stream.destroy();
      return run();
    }
    return (run() as Promise<unknown>).then(() => {
      stream.destroy();
      throw new Error('The answer to COMMIT is lost.');
    });
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return broken;
}
