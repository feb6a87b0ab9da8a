import { spawnSync } from 'node:child_process';
import { childEnvironment, ensureInstalled } from './install.mjs';
import { ensureSystemPackages, failoverPackages } from './system-packages.mjs';

/**
 * `npm run test:failover`: the machine of PostgreSQL is killed, isolated and replaced in a Patroni cluster of Debian's parts, while money
 * moves. Needs root on Debian; ten minutes.
 */
const node = ensureInstalled();
ensureSystemPackages(failoverPackages, console.error);
const { status } = spawnSync(
  node,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'flow', '--reporter=verbose'],
  {
    stdio: 'inherit',
    env: childEnvironment({ FAILOVER: '1' }),
  },
);
process.exitCode = status ?? 1;
