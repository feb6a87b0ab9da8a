import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '@raha/contract/limits.ts';
import { expect, test } from 'vitest';
import { tableOwners } from '../../table-owners.ts';
import { retention } from './retention.ts';
import { allSchedules } from './work.ts';

/** The list of how long rows are kept: it has every table, and what it says exists. What is deleted: `flows/retention.test.ts`. */
const all = retention.flatMap((declared) => Object.entries(declared));

test('every table of the schema says how long its rows are kept, once', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../schema.sql'), 'utf8');
  const tables = [...schema.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name);
  expect(all.map(([table]) => table).sort()).toEqual(tables.sort());
});

test('a module speaks for its own tables', () => {
  const ownerOf = new Map(Object.entries(tableOwners).flatMap(([owner, names]) => names.map((name) => [name, owner])));
  for (const declared of retention.slice(1))
    expect([Object.keys(declared), new Set(Object.keys(declared).map((table) => ownerOf.get(table))).size]).toEqual([
      Object.keys(declared),
      1,
    ]);
});

test('a schedule that is named exists, and every period is that of a table', () => {
  const schedules = new Set(allSchedules.map(({ name }) => name));
  const named = all.flatMap(([, kept]) => ('schedule' in kept && kept.schedule ? [kept.schedule] : []));
  expect(named.filter((name) => !schedules.has(name))).toEqual([]);
  const periods = new Set(all.flatMap(([, kept]) => ('days' in kept ? [kept.days] : [])));
  expect([...periods].sort()).toEqual(Object.keys(limits.keptDays).sort());
});
