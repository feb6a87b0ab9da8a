import { spawnSync } from 'node:child_process';
import { childEnvironment, ensureInstalled } from './install.mjs';
import { ensureSystemPackages, testPackages } from './system-packages.mjs';

/**
 * `npm run test:servers [-- files]`: journeys over two servers, a worker, PgBouncer and Debian's PostgreSQL, instead of one process
 * with everything. Without files those that touch money, events and sign-in. Build the web before: `npm test -- "web build"`.
 */
export const journeys = ['e2e/payments.e2e', 'e2e/sign-in.e2e', 'e2e/dashboard.e2e', 'e2e/two-browsers.e2e'];

const node = ensureInstalled();
ensureSystemPackages(testPackages, console.error);
const named = process.argv.slice(2);
const browser = ['run', '--project', 'browser'];
const files = named.length > 0 ? named : journeys;
const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', ...browser, ...files], {
  stdio: 'inherit',
  env: childEnvironment({ TEST_SERVERS: 'two' }),
});
process.exitCode = status ?? 1;
