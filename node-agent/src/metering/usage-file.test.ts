import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { applyChanges, encodeChange } from './usage-change.ts';
import { createUsageFile } from './usage-file.ts';
import { type ConfigUsage, startUsage, type UsageState } from './usage-state.ts';

const used: string[] = [];
afterAll(() => {
  for (const path of used) rmSync(path, { recursive: true });
});

function openDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'raha-usage-'));
  used.push(directory);
  const [path, journalPath] = [join(directory, 'usage.json'), join(directory, 'usage.journal')];
  const fallback = join(directory, 'run', 'usage.json');
  return { path, journalPath, fallback, open: () => createUsageFile({ path, journalPath, fallback }) };
}

const config = (up: number): ConfigUsage => ({
  ...{ slot: 2, base: { up: 0n, down: 2n ** 60n }, up, down: 0, lease: { version: 1, limitBytes: 9 } },
  ...{ blocked: false, acknowledged: { up: 0, down: 0, leaseVersion: 0 }, refillDenied: false, presence: 'active' },
});
const fresh = startUsage('a'.repeat(32), 'boot');
const many = (count: number): UsageState => ({
  ...fresh,
  configs: new Map(Array.from({ length: count }, (_, index) => [`config-${index}`, config(0)])),
});
/** Writes one change after the other. */
function createWriter(file: ReturnType<typeof createUsageFile>, first: UsageState) {
  const writer = {
    state: first,
    change: async (id: string, up: number) => {
      writer.state = used1(writer.state, id, up);
      await file.write(writer.state);
    },
  };
  return writer;
}
const used1 = (state: UsageState, id: string, up: number): UsageState => ({
  ...state,
  seq: state.seq + 1,
  configs: new Map(state.configs).set(id, config(up)),
});

test('a write costs what has changed, and another agent reads it', async () => {
  const { path, journalPath, open } = openDirectory();
  const file = open();
  const first = many(1_000);
  await file.write(first);
  const before = readFileSync(path, 'utf8');
  const second = used1(first, 'config-7', 500);
  await file.write(second);
  await file.write(used1(second, 'config-8', 600));
  expect(readFileSync(path, 'utf8')).toBe(before);
  expect(statSync(journalPath).size).toBeLessThan(1_000);
  expect(statSync(journalPath).mode & 0o777).toBe(0o600);
  expect(open().read()).toEqual(used1(second, 'config-8', 600));
});

test('a journal that is full is followed by a whole state, and an old journal is not read', async () => {
  const { path, journalPath, open } = openDirectory();
  const file = open();
  const writer = createWriter(file, many(10));
  await file.write(writer.state);
  const before = readFileSync(path, 'utf8');
  for (let up = 1; readFileSync(path, 'utf8') === before; up++) await writer.change('config-1', up);
  expect(statSync(journalPath).size).toBeGreaterThan(60_000);
  expect(open().read()).toEqual(writer.state);
  await writer.change('config-2', 1);
  expect(statSync(journalPath).size).toBeLessThan(1_000);
  expect(open().read()).toEqual(writer.state);
});

test('a line that is cut short does not count, at any byte', async () => {
  const { journalPath, open } = openDirectory();
  const file = open();
  const [first, second] = [many(3), used1(many(3), 'config-1', 5)];
  await file.write(first);
  await file.write(second);
  const afterSecond = statSync(journalPath).size;
  await file.write(used1(second, 'config-2', 6));
  const whole = statSync(journalPath).size;
  expect(open().read()?.seq).toBe(2);
  for (let size = whole - 1; size >= 0; size--) {
    truncateSync(journalPath, size);
    expect(open().read()?.seq).toBe(size >= afterSecond ? 1 : 0);
  }
});

test('a disk that fills up: the newest state is in memory, and on the disk as soon as there is room', async () => {
  const { path, journalPath, fallback, open } = openDirectory();
  const file = open();
  const writer = createWriter(file, many(3));
  await file.write(writer.state);
  const before = readFileSync(path, 'utf8');
  // Neither the journal nor the whole state can be written.
  symlinkSync('/dev/full', journalPath);
  symlinkSync('/dev/full', `${path}.new`);
  for (let up = 1; up < 4; up++) {
    await writer.change('config-1', up);
    expect(existsSync(fallback)).toBe(true);
    rmSync(journalPath, { force: true });
    expect(open().read()).toEqual(writer.state);
    symlinkSync('/dev/full', journalPath);
  }
  expect(readFileSync(path, 'utf8')).toBe(before);
  for (const link of [journalPath, `${path}.new`]) rmSync(link);
  await writer.change('config-1', 9);
  expect(existsSync(fallback)).toBe(false);
  await writer.change('config-2', 9);
  expect(open().read()).toEqual(writer.state);
});

test('what is in memory is newer than the journal', async () => {
  const { path, journalPath, open } = openDirectory();
  const file = open();
  const second = used1(many(3), 'config-1', 5);
  await file.write(many(3));
  await file.write(second);
  symlinkSync('/dev/full', `${path}.new`);
  // Another agent, which begins with a whole state.
  const third = used1(second, 'config-2', 6);
  await open().write(third);
  expect(readFileSync(journalPath, 'utf8').split('\n')).toHaveLength(3);
  expect(open().read()).toEqual(third);
});

test('only what is an error of the disk is one', async () => {
  const { path, open } = openDirectory();
  const file = open();
  await file.write(many(1));
  mkdirSync(`${path}.new`);
  appendFileSync(path, 'x');
  await expect(open().write(many(2))).rejects.toThrow(/EISDIR/);
});

test('any changes lead to the same state', () => {
  const counters = fc.record({ up: fc.bigInt(0n, 2n ** 64n - 1n), down: fc.bigInt(0n, 2n ** 64n - 1n) });
  const id = fc.constantFrom('a', 'b', 'c', 'd');
  const state = fc.record({
    epoch: fc.constantFrom('e', 'f'),
    seq: fc.nat(9),
    unmeteredBytes: fc.nat(3),
    configs: fc.dictionary(id, fc.tuple(fc.nat(5), counters)),
    freed: fc.uniqueArray(fc.tuple(fc.nat(4), counters), { selector: ([slot]) => slot }),
  });
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 6 }), (steps) => {
      const states = steps.map(({ configs, freed, ...plain }) => ({
        ...{ ...fresh, ...plain, freed: new Map(freed) },
        configs: new Map(Object.entries(configs).map(([key, [up, base]]) => [key, { ...config(up), base }])),
      }));
      const lines = states.slice(1).map((after, index) => encodeChange(states[index] as UsageState, after));
      expect(applyChanges(states[0] as UsageState, lines)).toEqual(states.at(-1));
    }),
    { numRuns: 200 },
  );
});
