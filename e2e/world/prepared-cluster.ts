import { mkdtempSync, rmSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../server/src/app/migrate.ts';
import { startEmbeddedPostgres } from '../../server/src/platform/embedded-postgres.ts';
import { closeHubForRun, openHubForRun } from './control-link.ts';
import { must } from './processes.ts';

/** Names the directory of the prepared cluster to the processes of the tests. Unset outside of them, as in the benchmark. */
const VARIABLE = 'RAHA_TEST_CLUSTER';

/**
 * Vitest's global set-up of the kernel and browser tests: a database cluster with all tables and no rows, made once per run. Making
 * it takes longer than everything else that a product does at its first start, and each test file starts a product. And the way of
 * the nodes to this machine, before a browser is open.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const directory = mkdtempSync(join(tmpdir(), 'raha-test-cluster-'));
  await chmod(directory, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: directory });
  await migrate(postgres.url);
  await postgres.stop();
  process.env[VARIABLE] = directory;
  const hasWorlds = process.getuid?.() === 0;
  if (hasWorlds) await openHubForRun();
  return async () => {
    rmSync(directory, { recursive: true, force: true });
    if (hasWorlds) await closeHubForRun();
  };
}

/** Copies the prepared cluster to where a product with this data directory looks for its own; without one, the product makes it. */
export async function copyPreparedCluster(dataDir: string): Promise<void> {
  const prepared = process.env[VARIABLE];
  if (!prepared) return;
  const target = join(dataDir, 'postgres');
  await mkdir(target, { recursive: true, mode: 0o711 });
  // cp keeps the owner, which PostgreSQL insists on; Node's own copying does not.
  await must('cp', ['--archive', '--reflink=auto', `${prepared}/.`, target]);
}
