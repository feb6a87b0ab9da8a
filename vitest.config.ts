import { defineConfig } from 'vitest/config';
import { keepFilesInMemory } from './scripts/in-memory.ts';
import { LongestFirst } from './scripts/longest-first.ts';

keepFilesInMemory();

/**
 * unit     decisions without a database, a clock or a network
 * flow     use cases and whole conversations on the real PostgreSQL
 * kernel   real daemons in network namespaces; root and TUN needed
 * browser  people's journeys in a real Chromium
 *
 * Unit and flow tests share their worker's modules, which starts them eight times faster; what they touch is either
 * pure or in a database of their own.
 */
const shared = { pool: 'threads', isolate: false, environment: 'node' } as const;
/** Each file has a process, a product, and namespaces or a browser of its own. */
const worlds = {
  pool: 'forks',
  environment: 'node',
  globalSetup: 'e2e/world/prepared-cluster.ts',
  // A busy machine is no failure, and three worlds that start side by side keep it busy.
  hookTimeout: 600_000,
  // As long as the browser is given for anything else: a busy machine is no failure.
  expect: { poll: { timeout: 30_000 } },
} as const;

const isDebian = process.env.TEST_POSTGRES === 'debian';
const kernelTests = ['node-agent/test/kernel/**/*.test.ts', 'e2e/**/*.kernel.test.ts'];
const ruleTests = ['server/walls.test.ts', 'server/**/*rules.test.ts', 'server/**/*.rules.test.ts'];

/** What takes minutes and whose like is among the others: in `npm run test:long` only. */
const longTests = process.env.TEST_LONG ? [] : ['**/*.long.{kernel.test,flow.test,e2e}.ts'];

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          ...shared,
          // Vitest itself would leave one of two cores alone.
          maxWorkers: 2,
          testTimeout: 60_000,
          include: [
            'tidy.test.ts',
            'persian-texts.test.ts',
            'contract/**/*.test.ts',
            'node-agent/**/*.test.ts',
            'web/**/*.test.ts',
            'scripts/**/*.test.ts',
            'e2e/**/*.test.ts',
            ...ruleTests,
          ],
          exclude: ['**/node_modules/**', '**/dist/**', 'e2e/**/*.flow.test.ts', ...kernelTests],
        },
      },
      {
        test: {
          name: 'flow',
          ...shared,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['server/test/postgres-setup.ts'],
          include: process.env.FAILOVER
            ? ['server/test/failover/*.long.ts']
            : ['server/**/*.test.ts', '{bench,e2e}/**/*.flow.test.ts'],
          // The file server/schema.sql is written as the built-in PostgreSQL describes its tables.
          exclude: ['**/node_modules/**', ...ruleTests, ...(isDebian ? ['server/test/schema.test.ts'] : [])],
        },
      },
      // Tunnels wait more than they work; browsers work.
      {
        test: {
          name: 'kernel',
          ...worlds,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
          testTimeout: 300_000,
          include: kernelTests,
          exclude: ['**/node_modules/**', ...longTests],
        },
      },
      {
        test: {
          name: 'browser',
          ...worlds,
          setupFiles: ['e2e/world/last-sight.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
          testTimeout: 300_000,
          include: ['e2e/**/*.e2e.ts'],
          exclude: ['**/node_modules/**', ...longTests],
        },
      },
    ],
  },
});
