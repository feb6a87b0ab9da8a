import { spawnSync } from 'node:child_process';
import { childEnvironment, ensureInstalled } from './install.mjs';
import { ensureSystemPackages, testPackages } from './system-packages.mjs';

/**
 * `npm run test:long`: the money tests with 20,000 seeds instead of 300, and every crash point instead of each third.
 * Takes hours. `MONEY_SEEDS` says how many seeds.
 */
const node = ensureInstalled();
ensureSystemPackages(testPackages, console.log);
const { status } = spawnSync(
  node,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'flow', 'server/test/money'],
  {
    stdio: 'inherit',
    env: { ...childEnvironment(), MONEY_SEEDS: process.env.MONEY_SEEDS ?? '20000' },
  },
);
process.exitCode = status ?? 1;
