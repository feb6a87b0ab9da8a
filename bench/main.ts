import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closeHubForRun, openHubForRun } from '../e2e/world/control-link.ts';
import { type ControlPlane, checkBooks, createControlPlane } from '../e2e/world/control-plane.ts';
import { whyNoBrowser } from '../e2e/world/journey.ts';
import { whyNoTunnels } from '../e2e/world/world.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../server/src/platform/embedded-postgres.ts';
import { measureCalls } from './calls.ts';
import { measureCharges } from './charges.ts';
import { measureConfigLatency } from './config-latency.ts';
import { measureFleet } from './fleet.ts';
import { measureIngestion } from './ingestion.ts';
import { measureLiveFleet } from './live-fleet.ts';
import { measurePanels } from './panels.ts';
import { type Pgbench, preparePgbench } from './pgbench.ts';
import { measurePopulation } from './population.ts';
import { measureProtocols } from './protocols.ts';
import { measurePurchases } from './purchases.ts';
import { measureRestore } from './restore.ts';
import { type Figure, meets } from './run.ts';
import { measureSilentBank } from './silent-bank.ts';
import { percentile } from './statistics.ts';
import { measureThroughput } from './throughput.ts';
import { measureTransfers } from './transfers.ts';

/**
 * `npm run bench`, or `npm run bench -- a d` for some parts; `--json file` stores the figures; `--people 1000,1000000` are the
 * sizes of (l), which is left out unless it is asked for, and `--keep directory` keeps what it wrote for the next run. Every figure is compared with
 * its yardstick in the same run on the same machine.
 */
const PARTS = {
  a: 'config created → usable (with g)',
  b: 'usage ingestion',
  c: 'transfers',
  d: 'restore after a top-up',
  e: 'charge → credited, and a card that everybody wants',
  f: 'usage ingestion of a fleet',
  g: 'the agent (with a)',
  h: 'created → first page, by protocol',
  i: 'credited while another bank hangs',
  j: 'a plan bought with configs on many nodes',
  k: 'what a call costs',
  m: 'a thousand open dashboards',
  n: 'what our rules and the agent cost of throughput, and what is billed when packets are lost',
  o: 'the live list of a hundred servers in a browser',
  l: 'every call, schedule and proof among many people (only if asked for)',
};
const { values, positionals } = readWords();
type Part = keyof typeof PARTS;
const requested = (part: Part) => positionals.length === 0 || positionals.includes(part);
const say = (line: string) => console.log(line);
const figures: Figure[] = [];

const machine = machineLine();
say(machine);
const noTunnels = whyNoTunnels();
if ((['a', 'd', 'g', 'h', 'n'] as const).some(requested)) {
  if (noTunnels) say(`(a), (d), (g), (h) and (n) are left out: ${noTunnels}.`);
  else await withTunnels();
}
if ((['b', 'c', 'e', 'i', 'j'] as const).some(requested)) await withDatabase();
if ((['k', 'm'] as const).some(requested)) await withSocket();
if (requested('f')) await withFleet();
if (requested('o')) {
  if (whyNoBrowser) say(`(o) is left out: ${whyNoBrowser}.`);
  else figures.push(...(await measureLiveFleet(say)));
}
if (positionals.includes('l')) await withPeople();
print();
if (values.json) writeFileSync(values.json, `${JSON.stringify({ machine, figures }, undefined, 2)}\n`);

function readWords() {
  try {
    const words = parseArgs({
      options: {
        json: { type: 'string' },
        people: { type: 'string', default: '1000,100000,1000000' },
        keep: { type: 'string' },
      },
      allowPositionals: true,
    });
    const unknown = words.positionals.find((word) => !(word in PARTS));
    if (unknown !== undefined) throw new Error(`There is no part ${unknown}.`);
    return words;
  } catch (error) {
    const parts = Object.entries(PARTS).map(([part, what]) => `  ${part}  ${what}\n`);
    process.stderr.write(
      `${(error as Error).message}\n\nnpm run bench -- [parts] [--json file] [--people 1000,100000] [--keep directory]\n${parts.join('')}`,
    );
    process.exit(1);
  }
}

async function withTunnels(): Promise<void> {
  await openHubForRun();
  if (requested('a') || requested('g')) {
    say('\n(a) config created → usable, and (g) the agent');
    figures.push(...(await measureConfigLatency(say)));
  }
  if (requested('h')) {
    say('\n(h) created → first page, by protocol');
    figures.push(...(await measureProtocols(say)));
  }
  if (requested('n')) {
    say('\n(n) throughput');
    figures.push(...(await measureThroughput(say)));
  }
  if (requested('d')) {
    say('\n(d) restore after a top-up');
    figures.push(...(await measureRestore(say)));
  }
  await closeHubForRun();
}

async function withDatabase(): Promise<void> {
  await withControlPlane(async (controlPlane, clusterUrl, pgbench) => {
    if (requested('b')) {
      say('\n(b) usage ingestion');
      figures.push(...(await measureIngestion(controlPlane, pgbench, say)));
    }
    if (requested('c')) {
      say('\n(c) transfers');
      figures.push(...(await measureTransfers(clusterUrl, pgbench, say)));
    }
    if (requested('e')) {
      say('\n(e) charge → credited, and a card that everybody wants');
      figures.push(...(await measureCharges(clusterUrl, say)));
    }
    if (requested('i')) {
      say('\n(i) credited while another bank hangs');
      figures.push(...(await measureSilentBank(clusterUrl, say)));
    }
    if (requested('j')) {
      say('\n(j) a plan bought with configs on many nodes');
      figures.push(...(await measurePurchases(clusterUrl, say)));
    }
  });
}

/** With a server of its own that is reached by a Unix socket, as an installation reaches it. */
async function withSocket(): Promise<void> {
  // The path of a socket is short, and PostgreSQL runs as a user of its own.
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-k-'));
  chmodSync(dataDir, 0o711);
  const socketDirectory = join(dataDir, 'socket');
  mkdirSync(socketDirectory);
  chmodSync(socketDirectory, 0o777);
  const postgres = await startEmbeddedPostgres({ dataDir, socketDirectory });
  try {
    const cluster = { url: postgres.url, socketDirectory };
    if (requested('k')) {
      say('\n(k) what a call costs');
      figures.push(...(await measureCalls(cluster, say)));
    }
    if (requested('m')) {
      say('\n(m) a thousand open dashboards');
      figures.push(...(await measurePanels(cluster, say)));
    }
  } finally {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** With its own database, so that rows of earlier parts do not count. */
async function withFleet(): Promise<void> {
  await withControlPlane(async (controlPlane, _clusterUrl, pgbench) => {
    say('\n(f) usage ingestion of a fleet');
    figures.push(...(await measureFleet(controlPlane, pgbench, say)));
  });
}

async function withPeople(): Promise<void> {
  say('\n(l) every call, schedule and proof among many people');
  figures.push(...(await measurePopulation(values.people.split(',').map(Number), values.keep, say)));
}

async function withControlPlane(
  work: (controlPlane: ControlPlane, clusterUrl: string, pgbench: Pgbench) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'raha-bench-'));
  // PostgreSQL runs as a user of its own and must be able to traverse it.
  chmodSync(dataDir, 0o711);
  const controlPlane = await createControlPlane(dataDir, { USD_RATE_TOMAN: '100000' });
  try {
    await controlPlane.start();
    await controlPlane.raha('settings', 'set', 'trial.passwordlessDays', '0');
    const clusterUrl = (await findEmbeddedPostgres(join(dataDir, 'postgres')))!;
    await work(controlPlane, clusterUrl, await preparePgbench(clusterUrl));
    const books = await checkBooks(controlPlane);
    if (books !== 'ok') throw new Error(`The ledger does not hold after the run: ${books}`);
  } finally {
    await controlPlane.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function machineLine(): string {
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const model = cpus()[0]?.model.trim() || 'processor of unknown model';
  return `${cpus().length} × ${model}, ${memory}, ${systemName()}, Linux ${release()}, Node ${process.version}`;
}

function systemName(): string {
  try {
    return /^PRETTY_NAME="(.+)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? process.platform;
  } catch {
    return process.platform;
  }
}

function print(): void {
  say('');
  for (const figure of figures) {
    const digits = Math.abs(figure.value) >= 100 ? 0 : 2;
    const aim = figure.aim && ('atMost' in figure.aim ? `≤ ${figure.aim.atMost}` : `≥ ${figure.aim.atLeast}`);
    const verdict = aim ? `  (aim ${aim} ${figure.unit}: ${meets(figure) ? 'met' : 'MISSED'})` : '';
    say(
      `${figure.part}  ${figure.what.padEnd(58)} ${figure.value.toFixed(digits).padStart(9)} ${figure.unit}${spreadOf(figure, digits)}${verdict}`,
    );
  }
}

/** Between which values half of the runs are. */
function spreadOf({ runs = [] }: Figure, digits: number): string {
  if (runs.length < 3) return '';
  const [low, high] = [25, 75].map((percent) => percentile(runs, percent).toFixed(digits));
  return ` (${low} to ${high})`;
}
