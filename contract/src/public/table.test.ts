import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publicEndpoints } from './table.ts';

test('no two tables name a call alike: the later one would hide the other without a word', async () => {
  const names: string[] = [];
  for (const file of readdirSync(import.meta.dirname).filter((name) => !/^table\.|\.test\.ts$/.test(name))) {
    const exported = (await import(join(import.meta.dirname, file))) as Record<string, Record<string, unknown>>;
    for (const table of Object.values(exported)) {
      const calls = Object.entries(table ?? {}).filter(([, call]) => isEndpoint(call));
      names.push(...calls.map(([name]) => name));
    }
  }
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(names.sort()).toEqual(Object.keys(publicEndpoints).sort());
});

test('no two calls have one method and path', () => {
  const routes = Object.values(publicEndpoints).flatMap(
    (call: { method: string; path: string; aliases?: readonly string[] }) =>
      [call.path, ...(call.aliases ?? [])].map((path) => `${call.method} ${path.replace(/\{\w+\}/g, '{}')}`),
  );
  expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([]);
});

function isEndpoint(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'caller' in value;
}
