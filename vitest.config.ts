import { defineConfig } from 'vitest/config';

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
/** Namespaces, ports and processors are few: one file after another, each in a process of its own. */
const alone = { pool: 'forks', fileParallelism: false, environment: 'node', hookTimeout: 180_000 } as const;

const kernelTests = ['node-agent/test/kernel/**/*.test.ts', 'e2e/**/*.kernel.test.ts'];
const ruleTests = ['server/**/*rules.test.ts', 'server/**/*.rules.test.ts'];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          ...shared,
          testTimeout: 60_000,
          include: [
            'tidy.test.ts',
            'contract/**/*.test.ts',
            'node-agent/**/*.test.ts',
            'web/**/*.test.ts',
            'scripts/**/*.test.ts',
            ...ruleTests,
          ],
          exclude: ['**/node_modules/**', '**/dist/**', ...kernelTests],
        },
      },
      {
        test: {
          name: 'flow',
          ...shared,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          globalSetup: ['server/test/postgres-setup.ts'],
          include: ['server/**/*.test.ts', 'e2e/**/*.flow.test.ts'],
          exclude: ['**/node_modules/**', ...ruleTests],
        },
      },
      { test: { name: 'kernel', ...alone, testTimeout: 300_000, include: kernelTests } },
      { test: { name: 'browser', ...alone, testTimeout: 300_000, include: ['e2e/**/*.e2e.ts'] } },
    ],
  },
});
