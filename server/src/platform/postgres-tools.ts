import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { BackupFault } from './backup-directory.ts';

/** PostgreSQL's own client programs, as this machine has them. */
type Tool = 'pg_dump' | 'pg_restore';

/** Where Debian, Red Hat and the PATH have them. */
const FAMILIES = ['/usr/lib/postgresql', '/usr/pgsql'];

/**
 * The program of the lowest version that is not older than the server. An older pg_dump refuses a newer server; a much newer
 * pg_restore says settings that an older server does not know. Without one, pg_restore may be older. Throws `BackupFault`.
 */
export function findTool(name: Tool, serverMajor: number, programPath: string): string {
  const found = directoriesOf(programPath)
    .map((directory) => join(directory, name))
    .filter((path) => existsSync(path))
    .map((path) => ({ path, major: majorOf(path) }))
    .filter(({ major }) => major > 0)
    .sort((a, b) => a.major - b.major);
  const fits = found.find(({ major }) => major >= serverMajor) ?? (name === 'pg_restore' ? found.at(-1) : undefined);
  if (fits) return fits.path;
  const other = found.length > 0 ? ` (there is version ${found.map(({ major }) => major).join(', ')})` : '';
  throw new BackupFault(
    `${name} of PostgreSQL ${serverMajor} or newer is not on this machine${other}. On Debian, as root: apt-get install postgresql-client-${serverMajor}`,
  );
}

/** Runs one of them on the database at `url`, whose password no argument shows. Throws `BackupFault` with what it printed. */
export async function runTool(path: string, args: readonly string[], url: string, options = ''): Promise<void> {
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'], env: libpqEnvironment(url, options) });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4_000);
  });
  const code = await new Promise<number | null>((done, failed) => child.once('error', failed).once('close', done));
  if (code !== 0) throw new BackupFault(output.trim() || `${path} ended with ${code}.`);
}

/** The same database in libpq's variables (PostgreSQL's documentation, section "Environment Variables"). */
function libpqEnvironment(url: string, options: string): Record<string, string> {
  const { host, port, user, password, database } = new pg.Client({ connectionString: url });
  const { searchParams } = new URL(url);
  const mode = searchParams.get('sslmode');
  // Our driver takes `require` for verify-full, and libpq knows no certificates of the system before version 16.
  const authorities = searchParams.get('sslrootcert') ?? '/etc/ssl/certs/ca-certificates.crt';
  const tls = mode && { PGSSLMODE: mode === 'require' ? 'verify-full' : mode, PGSSLROOTCERT: authorities };
  return {
    ...{ PATH: '/usr/bin:/bin', LC_ALL: 'C', PGAPPNAME: 'raha backup', PGCONNECT_TIMEOUT: '10' },
    ...{ PGHOST: host, PGPORT: String(port), PGUSER: user ?? '', PGDATABASE: database ?? '' },
    ...(password ? { PGPASSWORD: password } : {}),
    ...(options ? { PGOPTIONS: options } : {}),
    ...(tls ?? {}),
  };
}

function directoriesOf(programPath: string): string[] {
  const [debian, redHat] = FAMILIES;
  const versions =
    debian && existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : [];
  const others = readdirSync('/usr').filter((name) => `/usr/${name}`.startsWith(`${redHat}-`));
  return [...versions, ...others.map((name) => `/usr/${name}/bin`), ...programPath.split(':').filter(Boolean)];
}

/** 0 if it does not run. */
function majorOf(path: string): number {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } });
  return Number(/\(PostgreSQL\) (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}
