import { spawnSync } from 'node:child_process';
import { childEnvironment, ensureInstalled } from './install.mjs';
import { ensureSystemPackages, testPackages } from './system-packages.mjs';

/**
 * `npm run test:postgres [-- files]`: the flow tests on Debian's PostgreSQL (15 on Debian 12), which is what an installation uses.
 * `npm test` runs them on the built-in version, and a few of them on this one. Tests that start a cluster of their own keep to the
 * built-in version.
 */
const node = ensureInstalled();
ensureSystemPackages(testPackages, console.error);
const flow = ['run', '--project', 'flow'];
const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', ...flow, ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: childEnvironment({ TEST_POSTGRES: 'debian' }),
});
process.exitCode = status ?? 1;
