import { BYTES_PER_GB } from '@raha/contract/money.ts';
import { OperatorMistake } from '../../modules/accounts/operator-mistake.ts';
import { describeNodes } from '../../modules/configs/describe-nodes.ts';
import { listRelaysInTrouble } from '../../modules/fleet/relays.ts';
import { findHold } from '../../modules/payments/hold.ts';
import { listOfferedGateways } from '../../modules/payments/offered-gateways.ts';
import { tehranDay } from '../../platform/clock.ts';
import { type Database, readMemoryFacts, readServerFacts } from '../../platform/database.ts';
import { listPendingMigrations } from '../../platform/migrate.ts';
import { requireRelease } from '../agent-release.ts';
import { readBackupVerified } from '../backup-verified.ts';
import { openExchangeRate } from '../exchange-rate.ts';
import { listFlags } from '../flags.ts';
import { holdsMasterKey } from '../master-key.ts';
import { openGateways } from '../open-gateways.ts';
import { type Check, type DoctorContext, type Finding, ok, problem, warning } from './finding.ts';
import { adviseMemory } from './memory.ts';
import { checkPool } from './pool.ts';

/** Checks that need only this machine and the database. */
export const insideChecks: readonly Check[] = [
  { name: 'configuration', run: checkConfiguration },
  { name: 'database', run: checkDatabase },
  { name: 'PgBouncer', run: checkPool },
  { name: 'master key', run: checkMasterKey },
  { name: 'clock', run: checkClock },
  { name: 'disk', run: checkDisk },
  { name: 'backups', run: checkBackups },
  { name: 'gateways', run: withDatabase(checkGateways) },
  { name: 'exchange rate', run: withDatabase(checkExchangeRate) },
  { name: 'nodes', run: withDatabase(checkNodes) },
  { name: 'relays', run: withDatabase(checkRelays) },
  { name: 'flags', run: withDatabase(checkFlags) },
  { name: 'agent release', run: checkAgentRelease },
];

const OLDEST_POSTGRES = 15;
const SKEW_SECONDS = 5;
const BACKUP_HOURS = 26;

async function checkConfiguration({ config }: DoctorContext): Promise<Finding[]> {
  const unmet = config.unmetNeeds.map(problem);
  return unmet.length > 0 ? unmet : [ok(`A ${config.installation} at ${config.publicUrl}.`)];
}

async function checkDatabase({ db }: DoctorContext): Promise<Finding[]> {
  if (!db) {
    return [
      problem('The database cannot be reached: start the server (it brings its own PostgreSQL) or check DATABASE_URL.'),
    ];
  }
  const { major } = await readServerFacts(db);
  const findings: Finding[] = [];
  if (major < OLDEST_POSTGRES) {
    findings.push(problem(`PostgreSQL ${major} is too old: use ${OLDEST_POSTGRES} or newer.`));
  }
  const pending = await listPendingMigrations(db);
  if (pending.length > 0) {
    findings.push(
      problem(
        `The schema is older than this release (${pending.length} migrations): restart the server, which migrates.`,
      ),
    );
  }
  findings.push(...adviseMemory(await readMemoryFacts(db)));
  return findings.length > 0 ? findings : [ok(`PostgreSQL ${major}, schema up to date.`)];
}

async function checkMasterKey({ db, vault }: DoctorContext): Promise<Finding[]> {
  if (!db) return [];
  if (await holdsMasterKey(db, vault)) return [ok('The master key opens what this database has sealed.')];
  return [problem('The master key is not the one of this database: set MASTER_KEY_FILE to the file of the right key.')];
}

async function checkClock({ db, clock }: DoctorContext): Promise<Finding[]> {
  if (!db) return [];
  const { now } = await readServerFacts(db);
  const seconds = Math.abs((now.getTime() - clock.now().getTime()) / 1000);
  if (seconds <= SKEW_SECONDS) return [ok('The clocks of this machine and the database agree.')];
  return [
    problem(
      `The clocks of this machine and the database differ by ${Math.round(seconds)} s: run an NTP client on both.`,
    ),
  ];
}

async function checkDisk({ config, readDisk }: DoctorContext): Promise<Finding[]> {
  const { freeBytes, totalBytes } = await readDisk(config.dataDir);
  const share = `${(freeBytes / BYTES_PER_GB).toFixed(1)} GB (${Math.round((100 * freeBytes) / totalBytes)} %)`;
  if (freeBytes < BYTES_PER_GB || freeBytes < totalBytes * 0.05) {
    return [problem(`Only ${share} of the disk of ${config.dataDir} is free: make room before the database stops.`)];
  }
  return [
    freeBytes < totalBytes * 0.15
      ? warning(`${share} of the disk is left: make room soon.`)
      : ok(`${share} of the disk is free.`),
  ];
}

async function checkBackups({ config, clock, db }: DoctorContext): Promise<Finding[]> {
  if (config.installation !== 'production') return [ok('Nothing here needs a backup.')];
  const madeAt = db && (await readBackupVerified(db));
  if (!madeAt)
    return [
      warning(
        'No backup was ever verified: "raha backup create" and "raha backup verify" (docs/operations.md, Backups).',
      ),
    ];
  const hours = Math.floor((clock.now().getTime() - madeAt.getTime()) / 3_600_000);
  return [
    hours > BACKUP_HOURS
      ? warning(`The last verified backup is ${hours} hours old: make and verify one every night.`)
      : ok(`The last verified backup is ${hours} hours old.`),
  ];
}

async function checkGateways(context: DoctorContext, db: Database): Promise<Finding[]> {
  const { config, clock } = context;
  const hold = await findHold(db);
  if (hold) {
    const day = tehranDay(hold.from);
    return [
      problem(
        `Nobody can pay: the books are of ${hold.from.toISOString()}, and the banks may hold more. Import each gateway's list from ${day} on (settlements import), then "raha payments release".`,
      ),
    ];
  }
  const opened = openGateways(config, { origin: config.publicUrl }, () => config.publicUrl);
  const gateways = new Map(opened.map((gateway) => [gateway.name, gateway]));
  const offered = await listOfferedGateways({ db, clock, gateways });
  if (offered.length === 0) {
    return [problem('No payment gateway is on: set the keys of one (.env.example), or "raha gateways on <name>".')];
  }
  const names = offered.map(({ name }) => name).join(', ');
  if (offered.some(({ test }) => test)) return [ok(`Test banks: ${names}. No real money is taken.`)];
  return [ok(`Payments by ${names}.`)];
}

async function checkExchangeRate({ config, clock }: DoctorContext, db: Database): Promise<Finding[]> {
  const rate = await openExchangeRate(config, clock).current(db);
  if (!rate) {
    return [problem('There is no current exchange rate, so nothing can be sold: "raha rate set", or RATE_SOURCES.')];
  }
  const known = `${rate.tomanPerUsd.toLocaleString('en')} toman per dollar`;
  return [rate.origin === 'test' ? warning(`${known}: a test rate.`) : ok(`${known}, by ${rate.origin}.`)];
}

async function checkNodes({ clock }: DoctorContext, db: Database): Promise<Finding[]> {
  const nodes = await describeNodes(db, clock.now());
  const running = nodes.filter(({ node }) => node.status === 'active');
  if (running.length === 0) return [warning('There is no VPN server: add one with "raha nodes add".')];
  const findings = running.flatMap(({ node, online, warnings }) => [
    ...(online ? [] : [problem(`Node ${node.name} is offline: look at its agent (journalctl -u raha-agent).`)]),
    ...warnings.map((text) => warning(`Node ${node.name}: ${text}`)),
  ]);
  return findings.length > 0 ? findings : [ok(`${running.length} nodes are online.`)];
}

async function checkRelays(_context: DoctorContext, db: Database): Promise<Finding[]> {
  const { away, untried } = await listRelaysInTrouble(db);
  return [
    ...away.map((name) =>
      problem(`Relay ${name} does not answer its node: systemctl status raha-relay on its machine.`),
    ),
    ...untried.map((name) =>
      warning(`Relay ${name} was not tried yet: is its node online, and its agent of this release?`),
    ),
  ];
}

async function checkFlags({ clock }: DoctorContext, db: Database): Promise<Finding[]> {
  const overdue = (await listFlags(db, clock.now())).filter(({ isOverdue }) => isOverdue);
  if (overdue.length === 0) return [ok('No flag is past the day by which it is to be gone.')];
  return overdue.map(({ name, value: { until, owner } }) =>
    warning(
      `The flag ${name} was to be gone by ${until}: ask its owner (${owner}), or set another day (raha flags set --name ${name} --until …).`,
    ),
  );
}

async function checkAgentRelease({ config }: DoctorContext): Promise<Finding[]> {
  try {
    const { manifest } = requireRelease(config);
    return [ok(`VPN servers are offered release ${manifest.release} of the agent (version ${manifest.version}).`)];
  } catch (error) {
    if (!(error instanceof OperatorMistake)) throw error;
    return [problem(`VPN servers can be neither added nor upgraded. ${error.message}`)];
  }
}

function withDatabase(run: (context: DoctorContext, db: Database) => Promise<Finding[]>): Check['run'] {
  return async (context) => (context.db ? await run(context, context.db) : []);
}
