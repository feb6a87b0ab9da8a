import { withStatements } from './own-statements.ts';

/** Where a connection to the database breaks: before the n-th statement, or after the n-th COMMIT, whose answer is lost. */
export type BreakAt = { readonly statement: number } | { readonly commit: number };

/**
 * Runs `work` and breaks the connection of the product at one point, as when the process or the database is killed there. Before a
 * statement, the transaction is undone; after a COMMIT, it stands and nobody was answered. Returns the statement, or undefined if
 * there were fewer. Statements of the test banks do not count.
 */
export async function withBreak(at: BreakAt, work: () => Promise<unknown>): Promise<string | undefined> {
  let seen = 0;
  let broken: string | undefined;
  await withStatements((text, run, client) => {
    const isCounted = !text.includes('test_bank_') && ('statement' in at || /^\s*commit/i.test(text));
    if (!isCounted || broken !== undefined) return run();
    seen += 1;
    if (seen !== ('commit' in at ? at.commit : at.statement)) return run();
    broken = text;
    const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } }).connection;
    if ('statement' in at) {
      stream.destroy();
      return run();
    }
    return (run() as Promise<unknown>).then(() => {
      stream.destroy();
      throw new Error('The answer to COMMIT is lost.');
    });
  }, work);
  return broken;
}
