import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const server = join(import.meta.dirname, '../../../server/src');

test('every act that the server writes into the audit has a name', () => {
  const named = readFileSync(join(import.meta.dirname, 'acts.ts'), 'utf8');
  const files = readdirSync(server, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const acts = files.flatMap((file) =>
    [...readFileSync(join(server, file), 'utf8').matchAll(/\baction: '([a-z-]+\.[a-z-]+)'/g)].map(([, act]) => act),
  );
  expect(acts.length).toBeGreaterThan(50);
  expect([...new Set(acts)].filter((act) => !named.includes(`'${act}':`)).sort()).toEqual([]);
});
