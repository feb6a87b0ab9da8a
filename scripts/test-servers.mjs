import { spawnSync } from 'node:child_process';
import { childEnvironment, ensureInstalled } from './install.mjs';
import { ensureSystemPackages, testPackages } from './system-packages.mjs';

/**
 * `npm run test:servers [-- files]`: journeys over two servers, a worker, PgBouncer and Debian's PostgreSQL, instead of one process
 * with everything. Without files all journeys in the browser. Build the web and the agent before: `npm test -- "web build" "agent build"`.
 */
const node = ensureInstalled();
ensureSystemPackages(testPackages, console.error);
const named = process.argv.slice(2);
// The test Google and GitHub keep their codes in the memory of one process. No installation has them.
const browser = ['run', '--project', 'browser', '--exclude', 'e2e/test-providers.e2e.ts'];
const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', ...browser, ...named], {
  stdio: 'inherit',
  env: childEnvironment({ TEST_SERVERS: 'two' }),
});
process.exitCode = status ?? 1;
