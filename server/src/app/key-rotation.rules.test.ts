import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sealedColumns } from './key-rotation.ts';

test('every sealed column of the schema is sealed again when the master key is replaced', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../schema.sql'), 'utf8');
  const tables = schema.matchAll(/^CREATE TABLE (\w+) \(\n([\s\S]*?)^\);/gm);
  const found = [...tables].flatMap(([, table, body = '']) =>
    [...body.matchAll(/^ {2}(\w+_sealed) /gm)].map(([, column]) => `${table}.${column}`),
  );
  expect(found.length).toBeGreaterThan(7);
  expect(sealedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(found.sort());
});
