import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readMasterKey } from './app/first-start.ts';
import { installCommand } from './app/installer.ts';
import { addNode, renewEnrolment } from './modules/fleet/add-node.ts';
import { listNodes } from './modules/fleet/nodes.ts';
import { isOnline } from './modules/fleet/rules.ts';
import { issueGiftCards } from './modules/gift-cards/issue-cards.ts';
import { checkLedger } from './modules/ledger/check-ledger.ts';
import { systemClock } from './platform/clock.ts';
import { type Config, readConfig } from './platform/config.ts';
import { type Database, openDatabase } from './platform/database.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './platform/embedded-postgres.ts';
import { migrate } from './platform/migrate.ts';
import { createVault, type Vault } from './platform/sealed.ts';
import { getSetting, type SettingKey, setSetting, settingKeys } from './platform/settings.ts';

/**
 * The operator's command line: `npm run raha -- <noun> <verb> --flags`. Prints for people, or with `--json` for machines;
 * a problem is a sentence on standard error and exit code 1.
 */
interface Context {
  readonly db: Database;
  readonly vault: Vault;
  readonly config: Config;
  readonly flags: Record<string, string | boolean | undefined>;
  readonly positionals: readonly string[];
}

interface Result {
  readonly data: unknown;
  readonly lines: readonly string[];
  readonly exitCode?: number;
}

class UsageError extends Error {
  override readonly name = 'UsageError';
}

const commands: Record<string, { usage: string; run: (context: Context) => Promise<Result> }> = {
  'gift-cards issue': { usage: '--count 10 --usd 5 [--note text] [--expires 2027-03-20]', run: issueCards },
  'nodes add': {
    usage: '--name de1 --country DE --city Frankfurt [--address host] [--port 51820] [--address-limit 65000]',
    run: addNodeCommand,
  },
  'nodes token': { usage: '--name de1', run: renewTokenCommand },
  'nodes list': { usage: '', run: listNodesCommand },
  'settings get': { usage: '[key]', run: getSettings },
  'settings set': { usage: '<key> <value>', run: setSettingCommand },
  'ledger check': { usage: '', run: checkLedgerCommand },
};

const options = {
  ...Object.fromEntries(
    ['count', 'usd', 'note', 'expires', 'name', 'country', 'city', 'address', 'port', 'address-limit'].map((name) => [
      name,
      { type: 'string' } as const,
    ]),
  ),
  json: { type: 'boolean' },
} as const;

async function issueCards({ db, vault, flags }: Context): Promise<Result> {
  const count = wholeNumber(flags, 'count', 1, 10_000);
  const usdCents = Math.round(positiveNumber(flags, 'usd', 10_000) * 100);
  const expires = typeof flags.expires === 'string' ? new Date(`${flags.expires}T23:59:59+03:30`) : undefined;
  if (expires && Number.isNaN(expires.getTime())) throw new UsageError('--expires takes a day such as 2027-03-20.');
  const batch = await issueGiftCards(
    { db, vault, clock: systemClock },
    {
      count,
      usdCents,
      ...(typeof flags.note === 'string' ? { note: flags.note } : {}),
      ...(expires ? { expiresAt: expires } : {}),
    },
  );
  return {
    data: batch,
    lines: [
      `Batch ${batch.batchId}: ${count} cards of ${usdCents / 100} US dollars. These codes are shown only now.`,
      ...batch.codes,
    ],
  };
}

async function addNodeCommand({ db, flags, config }: Context): Promise<Result> {
  const name = text(flags, 'name');
  const country = text(flags, 'country').toUpperCase();
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name))
    throw new UsageError('--name takes lower-case letters, digits and hyphens, at most 31.');
  if (!/^[A-Z]{2}$/.test(country)) throw new UsageError('--country takes two letters (ISO 3166), such as DE.');
  if ((await listNodes(db)).some((node) => node.name === name))
    throw new UsageError(`There is a node "${name}" already.`);
  const added = await addNode(
    { db, clock: systemClock },
    {
      name,
      country,
      city: text(flags, 'city'),
      address: typeof flags.address === 'string' ? flags.address : undefined,
      port: flags.port === undefined ? undefined : wholeNumber(flags, 'port', 1, 65_535),
      addressLimit: flags['address-limit'] === undefined ? undefined : wholeNumber(flags, 'address-limit', 1, 65_000),
    },
  );
  return tokenResult(added, name, config);
}

async function renewTokenCommand({ db, flags, config }: Context): Promise<Result> {
  const name = text(flags, 'name');
  const renewed = await renewEnrolment({ db, clock: systemClock }, name);
  if (!renewed) throw new UsageError(`There is no node "${name}".`);
  return tokenResult(renewed, name, config);
}

function tokenResult(added: { nodeId: string; token: string }, name: string, config: Config): Result {
  const command = installCommand(config.publicUrl, added.token);
  return {
    data: { ...added, command },
    lines: [
      `Node "${name}" is expected. Its enrolment token is good once, for 15 minutes:`,
      added.token,
      '',
      'Run this on the server machine:',
      command,
    ],
  };
}

async function listNodesCommand({ db }: Context): Promise<Result> {
  const now = systemClock.now();
  const nodes = (await listNodes(db)).map((node) => ({
    id: node.id,
    name: node.name,
    country: node.country,
    city: node.city,
    address: node.address,
    status: node.status,
    online: isOnline(node, now),
    generation: Number(node.generation),
    applied: Number(node.applied_generation ?? 0n),
    seenAt: node.seen_at?.toISOString() ?? null,
  }));
  const lines = nodes.map(
    (node) =>
      `${node.name}\t${node.country} ${node.city}\t${node.address ?? '-'}\t${node.online ? 'online' : 'offline'}\t${node.applied}/${node.generation}`,
  );
  return {
    data: { nodes },
    lines: lines.length > 0 ? lines : ['There are no nodes yet. Add one with: npm run raha -- nodes add'],
  };
}

async function getSettings({ db, positionals }: Context): Promise<Result> {
  const wanted = positionals[2];
  if (wanted !== undefined && !settingKeys.includes(wanted as SettingKey))
    throw new UsageError(`There is no setting "${wanted}".`);
  const entries = await Promise.all(
    settingKeys
      .filter((key) => wanted === undefined || key === wanted)
      .map(async (key) => [key, await getSetting(db, key)] as const),
  );
  return {
    data: Object.fromEntries(entries),
    lines: entries.map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  };
}

async function setSettingCommand({ db, positionals }: Context): Promise<Result> {
  const [, , key, value] = positionals;
  if (key === undefined || value === undefined)
    throw new UsageError('Say which setting and which value: settings set <key> <value>.');
  const stored = await setSetting(db, key, value, systemClock.now());
  return { data: { [key]: stored }, lines: [`${key} = ${JSON.stringify(stored)}`] };
}

async function checkLedgerCommand({ db }: Context): Promise<Result> {
  const { checked, violations } = await checkLedger(db);
  const lines = checked.map((name) => {
    const found = violations.find((violation) => violation.invariant === name);
    return found ? `BROKEN ${name}\n  ${stringify(found.rows)}` : `holds  ${name}`;
  });
  return {
    data: { holds: violations.length === 0, checked, violations },
    lines,
    exitCode: violations.length === 0 ? 0 : 1,
  };
}

function text(flags: Context['flags'], name: string): string {
  const value = flags[name];
  if (typeof value !== 'string' || value.trim() === '') throw new UsageError(`--${name} is needed.`);
  return value.trim();
}

function wholeNumber(flags: Context['flags'], name: string, min: number, max: number): number {
  const value = Number(text(flags, name));
  if (!Number.isInteger(value) || value < min || value > max)
    throw new UsageError(`--${name} takes a whole number from ${min} to ${max}.`);
  return value;
}

function positiveNumber(flags: Context['flags'], name: string, max: number): number {
  const value = Number(text(flags, name));
  if (!(value > 0) || value > max) throw new UsageError(`--${name} takes a number above 0, at most ${max}.`);
  return value;
}

function stringify(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item));
}

/** Uses the running database, or starts the embedded one for the moment. */
async function withDatabase<T>(config: Config, work: (url: string) => Promise<T>): Promise<T> {
  const dataDir = join(config.dataDir, 'postgres');
  const running = config.databaseUrl ?? (await findEmbeddedPostgres(dataDir));
  if (running) return await work(running);
  const postgres = await startEmbeddedPostgres({ dataDir });
  try {
    await migrate(postgres.url);
    return await work(postgres.url);
  } finally {
    await postgres.stop();
  }
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({ args: process.argv.slice(2), options, allowPositionals: true });
  const command = commands[positionals.slice(0, 2).join(' ')];
  if (!command) {
    const list = Object.entries(commands).map(([name, { usage }]) => `  ${name} ${usage}`.trimEnd());
    throw new UsageError(['Commands of npm run raha --:', ...list].join('\n'));
  }
  const config = readConfig();
  return await withDatabase(config, async (url) => {
    const db = openDatabase(url, { max: 2 });
    try {
      const vault = createVault(readMasterKey(config.masterKey, config.dataDir));
      const result = await command.run({ db, vault, config, flags: values as Context['flags'], positionals });
      process.stdout.write(values.json ? `${stringify(result.data)}\n` : `${result.lines.join('\n')}\n`);
      return result.exitCode ?? 0;
    } finally {
      await db.destroy();
    }
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
