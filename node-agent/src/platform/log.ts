/** One JSON object per line on standard output. Never a client's address, a key or a token. */
export interface Log {
  info(event: string, facts?: Facts): void;
  warn(event: string, facts?: Facts): void;
  error(event: string, facts?: Facts): void;
}

type Facts = Readonly<Record<string, string | number | boolean | null>>;

export function createLog(now: () => number): Log {
  const write =
    (level: string) =>
    (event: string, facts: Facts = {}) => {
      process.stdout.write(`${JSON.stringify({ time: new Date(now()).toISOString(), level, event, ...facts })}\n`);
    };
  return { info: write('info'), warn: write('warn'), error: write('error') };
}

/** The message of an error on one line. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message.replaceAll(/\s+/g, ' ').slice(0, 500);
}
