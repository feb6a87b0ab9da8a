import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import { createLog, type Log } from '../platform/log.ts';

/**
 * `operator.log` in the data directory, readable by its owner only: the standard streams belong to the command's output.
 * A line that cannot be written there goes to standard error.
 */
export function openOperatorLog({ dataDir, logLevel }: Pick<Config, 'dataDir' | 'logLevel'>): Log {
  const file = join(dataDir, 'operator.log');
  return createLog(logLevel, {
    write(line) {
      try {
        appendFileSync(file, line, { mode: 0o600 });
      } catch {
        process.stderr.write(line);
      }
    },
  });
}
