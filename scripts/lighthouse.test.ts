import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const textOf = (file: string) => readFileSync(join(import.meta.dirname, '..', file), 'utf8');

test('Lighthouse looks at every section of the console', () => {
  const sections = [...textOf('web/src/console/sections.ts').matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path);
  expect(sections.length).toBeGreaterThan(15);
  const seen = textOf('scripts/lighthouse.mjs');
  expect(sections.filter((path) => !seen.includes(`'${path}'`))).toEqual([]);
});
