import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tableOwners } from './table-owners.ts';

/** The walls inside the server: who owns a table, where SQL may stand, and that each rule of imports refuses something. */

const source = join(import.meta.dirname, 'src');
const root = join(import.meta.dirname, '..');

interface SourceFile {
  /** Below server/src. */
  readonly path: string;
  readonly text: string;
}

const files: SourceFile[] = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(ts|sql)$/.test(path) && !/\.test\.ts$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(source, path), 'utf8') }));

const owners = new Map(Object.entries(tableOwners).flatMap(([owner, tables]) => tables.map((table) => [table, owner])));

/** Files with SQL that are not tables files, and why: other modules call their queries directly, without a forwarder. */
const published: readonly (readonly [RegExp, string])[] = [
  [/^platform\//, 'each mechanism keeps its own table'],
  [/^adapters\/(test-bank|stores)\//, 'what the test bank and the test store remember'],
  [/^app\/health\.ts$/, 'asks whether the database answers'],
  [/^modules\/accounts\/pictures\.ts$/, 'pictures of users, for the profile'],
  [
    /^modules\/ledger\/(reports|user-lines|usage-sums)\.ts$/,
    'readings of the ledger for reports, the statement and invoices',
  ],
  [/^modules\/ledger\/check-invariants\.ts$/, 'runs the invariants of all modules'],
  [/^modules\/payments\/clearing\.ts$/, 'sums for the reports'],
  [
    /^modules\/metering\/(leases|desired-leases|trial-leases)\.ts$/,
    'leases, on which billing decides and which nodes receive',
  ],
  [/^modules\/metering\/(connections|usage-series|node-traffic|price-parts)\.ts$/, 'usage, for panels and statements'],
  [/^modules\/metering\/blocked-queries\.ts$/, 'counts of one table'],
  [/^modules\/fleet\/anomalies\.ts$/, 'anomalies of nodes, noted by billing'],
  [/^modules\/dns-filtering\/dns-filtering\.ts$/, 'one table of one column'],
];

const { forbidden: importRules } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
  forbidden: readonly { name: string; to: { path?: string } }[];
};

/** Tables and views that SQL names after a keyword which takes one. Keywords are upper case in all our SQL. */
function namedTables(text: string): Set<string> {
  const clauses = text.matchAll(
    /\b(?:FROM|JOIN|INTO|UPDATE|USING|REFERENCES|TABLE)\s+(?:ONLY\s+)?([a-z_]+(?:\s+(?:AS\s+)?[a-z_]+)?(?:\s*,\s*[a-z_]+(?:\s+(?:AS\s+)?[a-z_]+)?)*)/g,
  );
  const names = [...clauses].flatMap(([, list = '']) =>
    list.split(',').map((item) => item.trim().split(/\s+/)[0] ?? ''),
  );
  return new Set(names.filter((name) => owners.has(name)));
}

/** What a file may not name. The invariants of a module prove it against modules below it, and may read theirs. */
function trespasses({ path, text }: SourceFile): string[] {
  const isInvariants = path.endsWith('/invariants.sql');
  return [...namedTables(text)].flatMap((table) => {
    const owner = owners.get(table) as string;
    if (path.startsWith(`${owner}/`) || path === `${owner}.ts`) return [];
    if (isInvariants && isBelow(owner, dirname(path))) return [];
    return [`${path} names ${table} of ${owner}`];
  });
}

function isBelow(lower: string, upper: string): boolean {
  const rule = importRules.find(({ name }) => name === `${lower.split('/')[1]}-imports-only-lower-modules`);
  return new RegExp(rule?.to.path ?? '^$').test(`server/src/${upper}/`);
}

const hasSql = ({ path, text }: SourceFile) =>
  path.endsWith('.ts') && /(?<![.\w])sql(<[^`;]*>)?`|(?<![.\w])sql\.raw\(/.test(text);
const isHomeOfSql = ({ path }: SourceFile) =>
  /^modules\/.*[/-]tables\.ts$/.test(path) || published.some(([pattern]) => pattern.test(path));

describe('tables', () => {
  test('each table and view of the schema has one owner', () => {
    const schema = readFileSync(join(import.meta.dirname, 'schema.sql'), 'utf8');
    const known = [...schema.matchAll(/^CREATE (?:TABLE|VIEW) (\w+)/gm)].map(([, name]) => name);
    expect(Object.values(tableOwners).flat().sort()).toEqual(known.sort());
  });

  test('each table is named by its owner only', () => {
    expect(files.flatMap(trespasses)).toEqual([]);
    const users = files.flatMap(({ path, text }) => [...namedTables(text)].map((table) => [table, path] as const));
    for (const [table, owner] of owners) {
      expect(users.filter(([name]) => name === table).length, `${owner} never names ${table}`).toBeGreaterThan(0);
    }
  });

  test('SQL stands in tables files, or in those that are published', () => {
    expect(files.filter((file) => hasSql(file) && !isHomeOfSql(file)).map(({ path }) => path)).toEqual([]);
  });

  test.each([
    ['a query on another module', 'modules/billing/tables.ts', 'sql`SELECT 1 FROM payment p`'],
    ['a join', 'modules/payments/tables.ts', 'sql`SELECT 1 FROM payment p\n JOIN users u ON u.id = p.user_id`'],
    ['the second of a list', 'modules/payments/tables.ts', 'sql`SELECT 1 FROM payment p, meter m`'],
    ['writing', 'modules/dashboard/tables.ts', 'sql`INSERT INTO notification (id) VALUES (1)`'],
    ['erasing', 'app/work.ts', 'sql`DELETE FROM setting`'],
    ['an update', 'cli/x.ts', "sql.raw('UPDATE node SET status = 1')"],
    ['an invariant of a lower module', 'modules/ledger/invariants.sql', 'SELECT id FROM payment'],
  ])('%s is refused', (_what, path, text) => {
    expect(trespasses({ path, text })).toHaveLength(1);
  });

  test('SQL in a use case is refused', () => {
    const file = { path: 'modules/billing/book-usage.ts', text: 'await sql<{ id: string }>`SELECT 1`.execute(tx)' };
    expect(hasSql(file) && !isHomeOfSql(file)).toBe(true);
  });
});

/** Per rule of `.dependency-cruiser.cjs` a file that breaks it, and what it imports. */
const probes: Readonly<Record<string, readonly [file: string, imports: string]>> = {
  'no-cycles': ['contract/src/cycle-a.ts', './cycle-b.ts'],
  'no-unresolvable': ['contract/src/lost.ts', './nowhere.ts'],
  'contract-knows-only-zod': ['contract/src/probe.ts', '../../server/src/platform/probe.ts'],
  'web-knows-only-the-contract': ['web/src/probe.ts', '../../server/src/platform/probe.ts'],
  'web-never-speaks-as-a-node': ['web/src/node.ts', '../../contract/src/node/probe.ts'],
  'node-agent-knows-only-what-a-node-may-hear-or-say': ['node-agent/src/probe.ts', '../../contract/src/money.ts'],
  'node-agent-declares-its-packages': ['node-agent/src/package.ts', 'kysely'],
  'server-stands-alone': ['server/src/app/alone.ts', '../../../web/src/probe.ts'],
  'server-declares-its-packages': ['server/src/app/package.ts', 'fast-check'],
  'platform-knows-no-business': ['server/src/platform/business.ts', '../app/probe.ts'],
  'modules-never-import-app-or-adapters': ['server/src/modules/ledger/up.ts', '../../adapters/probe.ts'],
  'adapters-never-import-app': ['server/src/adapters/up.ts', '../app/probe.ts'],
  'every-module-has-its-line': ['server/src/modules/stray/probe.ts', '../../platform/probe.ts'],
  'rules-import-rules-and-contract': ['server/src/modules/ledger/rules.ts', '../../platform/probe.ts'],
  'tables-and-routes-are-private-to-their-module': [
    'server/src/modules/reports/probe-tables-of-others.ts',
    '../payments/refund-tables.ts',
  ],
  'tables-are-never-used-from-outside-modules': ['server/src/app/tables.ts', '../modules/payments/refund-tables.ts'],
  'only-app-mounts-routes': ['server/src/cli/routes.ts', '../modules/wallet/history-routes.ts'],
  ...Object.fromEntries(
    importRules
      .filter(({ name }) => name.endsWith('-imports-only-lower-modules'))
      .map(({ name, to }) => {
        const module = name.replace('-imports-only-lower-modules', '');
        const other = /\((?:\w|-)*?([\w-]+)[|)]/.exec(to.path ?? '')?.[1];
        return [name, [`server/src/modules/${module}/upwards.ts`, `../${other}/probe.ts`]];
      }),
  ),
};

test('each rule of imports refuses the file that breaks it', { timeout: 60_000 }, () => {
  const tree = mkdtempSync(join(tmpdir(), 'raha-walls-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  try {
    for (const workspace of ['contract', 'server', 'node-agent', 'web']) {
      mkdirSync(join(tree, workspace));
      cpSync(join(root, workspace, 'package.json'), join(tree, workspace, 'package.json'));
    }
    cpSync(join(root, '.dependency-cruiser.cjs'), join(tree, '.dependency-cruiser.cjs'));
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
    for (const [file, imported] of Object.values(probes)) {
      if (imported.startsWith('.') && imported !== './nowhere.ts') {
        write(join(dirname(file), imported), 'export const probe = 1;\n');
      }
    }
    write('contract/src/cycle-b.ts', "import { probe } from './cycle-a.ts';\nexport const other = probe;\n");
    for (const [file, imported] of Object.values(probes)) {
      write(file, `import * as imported from '${imported}';\nexport const probe = imported;\n`);
    }
    const found = new Map<string, Set<string>>();
    for (const { from, rule } of violationsIn(tree)) {
      found.set(rule.name, (found.get(rule.name) ?? new Set()).add(from));
    }
    expect(Object.keys(probes).sort()).toEqual(importRules.map(({ name }) => name).sort());
    for (const [name, [file]] of Object.entries(probes)) expect([...(found.get(name) ?? [])], name).toContain(file);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
});

function violationsIn(tree: string): { from: string; rule: { name: string } }[] {
  const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const options = [
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'contract',
    'server',
    'node-agent',
    'web',
  ];
  try {
    return parse(execFileSync(process.execPath, [program, ...options], { cwd: tree, encoding: 'utf8', stdio: 'pipe' }));
  } catch (error) {
    // It ends with the number of violations.
    return parse((error as { stdout: string }).stdout);
  }
}

function parse(output: string): { from: string; rule: { name: string } }[] {
  return (JSON.parse(output) as { summary: { violations: { from: string; rule: { name: string } }[] } }).summary
    .violations;
}

/** Lists that the types do not see: what stands in none of them is silently never used. */
describe('every declaration is in its list', () => {
  const lists: readonly (readonly [declared: RegExp, list: string])[] = [
    [/^modules\/\w[\w-]*\/settings\.ts$/, 'app/all-settings.ts'],
    [/^modules\/\w[\w-]*\/work\.ts$/, 'app/work.ts'],
    [/^modules\/\w[\w-]*\/([\w-]+-)?routes\.ts$/, 'app/build-app.ts'],
    [/^modules\/\w[\w-]*\/sealed-columns\.ts$/, 'app/key-rotation.ts'],
    [/^cli\/[\w-]+-commands?\.ts$/, 'cli/find-commands.ts'],
    [/^modules\/\w[\w-]*\/invariants\.sql$/, 'app/check-ledger.ts'],
  ];
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? '';

  test.each(lists)('%s in %s', (declared, list) => {
    const names = files.map(({ path }) => path).filter((path) => path !== list && declared.test(path));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((path) => !textOf(list).includes(`${relative(dirname(list), path)}'`))).toEqual([]);
  });

  test('jobs have a handler', () => {
    const jobs = files.flatMap(({ text }) =>
      [...text.matchAll(/export const (\w+) = defineJob/g)].map(([, name]) => name),
    );
    expect(jobs.length).toBeGreaterThan(3);
    const handled = files.filter(({ path }) => path.endsWith('work.ts')).map(({ text }) => text);
    expect(jobs.filter((name) => !handled.some((text) => text.includes(`handle(${name},`)))).toEqual([]);
  });
});
