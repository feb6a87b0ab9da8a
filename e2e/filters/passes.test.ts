import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Filter, filters, type Passage, passes, type Way, ways } from './passes.ts';

const WORDS: Readonly<Record<Passage, string>> = { yes: 'yes', no: '–', relay: 'by a relay' };

test('docs/transports.md has the table that is tested', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/transports.md'), 'utf8');
  const names = Object.keys(filters) as Filter[];
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = (Object.keys(ways) as Way[]).map((way) =>
    row([ways[way], ...names.map((name) => WORDS[passes[way][name]])]),
  );
  const head = row(['way', ...names.map((name) => filters[name])]);
  expect(text).toContain([head, `|${'---|'.repeat(names.length + 1)}`, ...rows].join('\n'));
});
