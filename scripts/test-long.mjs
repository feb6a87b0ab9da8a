import { spawnSync } from 'node:child_process';
import { buildAgent, buildWeb } from './build.mjs';
import { childEnvironment, ensureInstalled } from './install.mjs';
import { ensureSystemPackages, testPackages } from './system-packages.mjs';

/**
 * `npm run test:long`: what `npm test` has no time for. The money tests with 20,000 seeds instead of 100, every crash point instead of
 * each tenth, fifty kills of PostgreSQL instead of six, the budgets of calls and schedules among 100,000 people instead of 6,000,
 * the race for a gift card two hundred times, 100,000 wrong requests instead of 600, 200 attackers instead of 24, 100,000 guesses of
 * codes instead of 10,000, 10,000 fleets instead of 150, 200 histories of a monthly cap instead of six, a thousand of two cells instead
 * of ten, 25 killed restores instead of one, the upgrade of a ledger of a million rows, and 300,000 packets of one config instead of
 * 12,000. Then the files called `*.long.*`: plans' speeds over each protocol, every way through every filter, OpenConnect in bad
 * networks, the panel in bad weather; nine kills of the parts of a whole product instead of three; and every journey in the browser,
 * each screen in each theme at each width. At the end journeys run over two servers, a worker and PgBouncer, PostgreSQL fails over, and
 * Lighthouse looks at every page of the console.
 *
 * It takes many hours on two cores, and nobody has timed all of it: of the 20,000 seeds of the ledger's model alone each takes 0.3 to 0.5 s,
 * which is two to three hours. `npm run test:long -- ledger-model` runs the files that are named
 * so. `MONEY_SEEDS` says how many seeds, `MONEY_FIRST_SEED` which is the first: two processes of 10,000 each keep two cores busy.
 * `CELL_SEEDS` and `CELL_FIRST_SEED` say the same of the histories of two cells.
 */
const everything = [
  'server/test/money',
  'server/test/cells',
  'server/test/flows/gift-cards',
  'server/test/flows/abuse',
  'server/test/fuzz',
  'server/test/flood',
  'server/test/flows/migrations',
  'server/test/flows/monthly-caps',
  'server/test/scale',
  'e2e/fleet',
  'e2e/metering',
  'e2e/kill-9',
  'node-agent/test/kernel/abuse',
  '.long.kernel.test.ts',
  '.e2e.ts',
];
const named = process.argv.slice(2);
const node = ensureInstalled();
ensureSystemPackages(testPackages, console.log);
if (!buildWeb(node) || !buildAgent(node)) process.exit(1);
const { status } = spawnSync(
  node,
  [
    ...['node_modules/vitest/vitest.mjs', 'run'],
    ...['unit', 'flow', 'kernel', 'browser'].flatMap((project) => ['--project', project]),
    ...(named.length > 0 ? named : everything),
  ],
  {
    stdio: 'inherit',
    env: {
      ...{ ...childEnvironment(), MONEY_SEEDS: process.env.MONEY_SEEDS ?? '20000', GIFT_RACES: '200' },
      ...{ TEST_LONG: 'yes', EVERY_LOOK: 'yes' },
      ...{ SCALE_PEOPLE: process.env.SCALE_PEOPLE ?? '100000' },
      ...{ FLOOD: 'full', FUZZ_REQUESTS: process.env.FUZZ_REQUESTS ?? '100000' },
      ...{
        UPGRADE_ROWS: '1000000',
        FLEET_SEEDS: '10000',
        FLEET_SQL_SEEDS: '1200',
        METERING_SEEDS: '10000',
        ABUSE_GUESSES: '1000',
        CAP_RUNS: '200',
        CELL_SEEDS: process.env.CELL_SEEDS ?? '1000',
        RESTORE_KILLS: '25',
      },
    },
  },
);
const more =
  named.length > 0
    ? []
    : [['scripts/test-servers.mjs'], ['scripts/test-failover.mjs'], ['scripts/lighthouse.mjs', 'console']];
const others = more.map((script) => spawnSync(node, script, { stdio: 'inherit' }).status);
process.exitCode = [status, ...others].every((one) => one === 0) ? 0 : 1;
