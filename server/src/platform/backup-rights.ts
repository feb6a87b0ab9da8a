import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PostgresBinaries, type PostgresUser, postgresEnvironment } from './postgres-binaries.ts';

const GRANTS = [
  'GRANT EXECUTE ON FUNCTION pg_backup_start(text, boolean) TO raha',
  'GRANT EXECUTE ON FUNCTION pg_backup_stop(boolean) TO raha',
];

/**
 * Lets the program's role begin and end a backup of its own cluster, once per cluster, also of one that an earlier release made. The
 * superuser cannot log in, so that is done before the server starts, in PostgreSQL's single-user mode.
 */
export function grantBackupRights(
  paths: { readonly dataDir: string; readonly cluster: string },
  binaries: PostgresBinaries,
  user: PostgresUser,
): void {
  const mark = join(paths.dataDir, 'backup-rights');
  if (existsSync(mark)) return;
  const done = spawnSync(binaries.path('postgres'), ['--single', '-D', paths.cluster, 'raha'], {
    ...user,
    cwd: '/',
    env: postgresEnvironment,
    encoding: 'utf8',
    input: `${GRANTS.join('\n')}\n`,
  });
  if (done.status !== 0 || /\b(ERROR|FATAL)\b/.test(done.stderr)) {
    throw new Error(`PostgreSQL could not be prepared for backups: ${done.stderr.trim()}`);
  }
  writeFileSync(mark, '', { mode: 0o600 });
}
