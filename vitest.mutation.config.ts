import { defineConfig } from 'vitest/config';

/** The tests that must notice a changed rule of money, by themselves: no database, nothing beside the rules. */
export default defineConfig({
  test: {
    environment: 'node',
    include: ['contract/src/{money,gift-code}.test.ts', 'server/src/modules/**/*rules.test.ts'],
  },
});
