import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Log } from '../platform/log.ts';
import { shell } from '../platform/shell.ts';
import { createUpgrader } from './upgrader.ts';

/** Agents of one line each, upgraded with real files and a real process. */
let directory: string;
let file: string;
const log = { info: () => {}, warn: () => {}, error: () => {} } as unknown as Log;
const old = 'console.log("old")';
const fresh = 'console.log("fresh")';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const upgraderOf = (served: string) => createUpgrader({ shell, log, download: async () => Buffer.from(served) }, file);
const read = (what = '') => readFileSync(`${file}${what}`, 'utf8');

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-upgrade-'));
  file = join(directory, 'raha-agent.mjs');
  writeFileSync(file, old);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('the desired agent replaces the running one, which is kept until the new one has proved itself', async () => {
  const upgrader = upgraderOf(fresh);
  expect(upgrader.current).toBe(hashOf(old));
  expect(await upgrader.replace(hashOf(fresh))).toBe(true);
  expect([read(), read('.previous'), read('.unproved')]).toEqual([fresh, old, '0']);
  const next = upgraderOf(fresh);
  expect(next).toMatchObject({ current: hashOf(fresh), isUnproved: true });
  await next.prove();
  expect(next.isUnproved).toBe(false);
  expect(existsSync(`${file}.unproved`)).toBe(false);
  expect(await next.replace(hashOf(fresh))).toBe(false);
});

test.each([
  ['is not the desired one', fresh, hashOf('another')],
  ['does not start', 'throw new Error("no")', hashOf('throw new Error("no")')],
])('one that %s changes nothing', async (_what, served, desired) => {
  await expect(upgraderOf(served).replace(desired)).rejects.toThrow();
  expect(read()).toBe(old);
  expect(existsSync(`${file}.unproved`)).toBe(false);
});

test('an agent that was rolled back is not tried again; another one is', async () => {
  writeFileSync(`${file}.refused`, `${hashOf(fresh)}\n`);
  expect(await upgraderOf(fresh).replace(hashOf(fresh))).toBe(false);
  expect(await upgraderOf('console.log("better")').replace(hashOf('console.log("better")'))).toBe(true);
});

test('an agent that runs from its sources is left alone', async () => {
  const upgrader = createUpgrader({ shell, log, download: async () => Buffer.from(fresh) }, join(directory, 'main.ts'));
  expect(upgrader.current).toBeUndefined();
  expect(await upgrader.replace(hashOf(fresh))).toBe(false);
});
