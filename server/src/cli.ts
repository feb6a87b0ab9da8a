import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openVault, readMasterKey } from './app/master-key.ts';
import {
  type Command,
  type Commands,
  type Context,
  csv,
  explain,
  type Result,
  stringify,
  UsageError,
} from './cli/context.ts';
import { findCommands } from './cli/find-commands.ts';
import { openOperatorLog } from './cli/operator-log.ts';
import { createAudit } from './modules/audit/audit.ts';
import { systemClock } from './platform/clock.ts';
import { type Config, readConfig } from './platform/config.ts';
import { openDatabase } from './platform/database.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './platform/embedded-postgres.ts';

/** Uses the running database, or starts the embedded one for the duration of the command. */
async function withDatabase<T>(config: Config, work: (url: string) => Promise<T>): Promise<T> {
  const dataDir = join(config.dataDir, 'postgres');
  const running = config.databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (running) return await work(running);
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    // The whole server is behind it.
    const { migrate } = await import('./app/migrate.ts');
    await migrate(postgres.url);
    return await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}

/** Each command accepts only its own flags: a mistyped one is an error. */
function optionsOf(command: Pick<Command, 'flags' | 'switches'>): Record<string, { type: 'string' | 'boolean' }> {
  const valued = (command.flags ?? []).map((name) => [name, { type: 'string' as const }]);
  const plain = [...(command.switches ?? []), 'json', 'csv'].map((name) => [name, { type: 'boolean' as const }]);
  return Object.fromEntries([...valued, ...plain]);
}

function readArgs(args: string[], command: Pick<Command, 'flags' | 'switches'>, usage: string) {
  try {
    return parseArgs({ args, options: optionsOf(command), allowPositionals: true });
  } catch (error) {
    // The first sentence names the flag; the others suggest a syntax that does not apply here.
    const [what] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${what}.\n${usage}`);
  }
}

/** The usage of the given command, else of all commands with its noun, else of all commands. */
function usageOf(words: readonly string[], commands: Commands): string {
  const all = Object.keys(commands);
  const meant = [words.join(' '), words[0]].map((start) => all.filter((name) => `${name} `.startsWith(`${start} `)));
  const names = meant.find((found) => found.length > 0) ?? all;
  return [
    'Commands of npm run raha --:',
    ...names.map((name) => `  ${name} ${commands[name]?.usage ?? ''}`.trimEnd()),
  ].join('\n');
}

function print(result: Result, values: Context['flags']): number {
  process.stdout.write(`${shown(result, values)}\n`);
  return result.exitCode ?? 0;
}

function shown(result: Result, values: Context['flags']): string {
  if (values.json) return stringify(result.data);
  if (!values.csv) return result.lines.join('\n');
  if (!result.table) throw new UsageError('This command has no table to print as CSV.');
  return csv([result.table.head, ...result.table.rows]);
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const words = args.slice(0, 2).filter((word) => !word.startsWith('-'));
  const commands = await findCommands(words[0]);
  const usage = usageOf(words, commands);
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const command = commands[words.join(' ')];
  if (!command) throw new UsageError(usage);
  const { values, positionals } = readArgs(args, command, usage);
  if ('offline' in command) return print(await command.run({ flags: values, positionals }), values);
  const config = readConfig();
  return await withDatabase(config, async (url) => {
    const db = openDatabase(url, { max: 2 });
    try {
      const vault = await openVault(db, readMasterKey(config));
      const log = openOperatorLog(config);
      const clock = systemClock;
      const audit = createAudit({ clock, vault, log });
      const parts = { db, databaseUrl: url, vault, clock, audit, log, config };
      const result = await command.run({ ...parts, flags: values, positionals });
      return print(result, values);
    } finally {
      await db.destroy();
    }
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}
