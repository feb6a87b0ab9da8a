import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeRelease, makeReleaseKey } from '../../test/release.ts';
import type { Log } from '../platform/log.ts';
import { shell } from '../platform/shell.ts';
import { createUpgrader } from './upgrader.ts';

/** Agents of one line each, upgraded with real files, real signatures and a real process. */
let directory: string;
let file: string;
const log = { info: () => {}, warn: () => {}, error: () => {} } as unknown as Log;
const key = makeReleaseKey();
const INSTALLED = 100;
const old = 'console.log("old")';
const fresh = 'console.log("fresh")';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const signed = (agent: string, release = INSTALLED + 1, signer = key) =>
  makeRelease(signer, release, { 'raha-agent.mjs': agent });
const read = (what = '') => readFileSync(`${file}${what}`, 'utf8');

class Absent extends Error {}

function upgraderOf(offered: ReadonlyMap<string, Buffer>, at = file) {
  const download = async (name: string, maxBytes: number) => {
    const bytes = offered.get(name);
    if (!bytes) throw new Absent();
    if (bytes.length > maxBytes) throw new Error('the answer is too long');
    return bytes;
  };
  const keyFile = join(directory, 'release.pub');
  return createUpgrader({ shell, log, keyFile, download, isAbsent: (error) => error instanceof Absent }, at);
}

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-upgrade-'));
  file = join(directory, 'raha-agent.mjs');
  writeFileSync(file, old);
  writeFileSync(`${file}.release`, `${INSTALLED}\n`);
  writeFileSync(join(directory, 'release.pub'), `${key.publicKey}\n`);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('the desired agent replaces the running one, which is kept until the new one has proved itself', async () => {
  const upgrader = upgraderOf(signed(fresh));
  expect(upgrader.current).toBe(hashOf(old));
  expect(await upgrader.replace(hashOf(fresh))).toBe(true);
  expect([read(), read('.previous'), read('.unproved'), read('.release')]).toEqual([fresh, old, '0', '101\n']);
  const next = upgraderOf(signed(fresh));
  expect(next).toMatchObject({ current: hashOf(fresh), isUnproved: true, refusal: undefined });
  await next.prove();
  expect(next.isUnproved).toBe(false);
  expect(existsSync(`${file}.unproved`)).toBe(false);
  expect(await next.replace(hashOf(fresh))).toBe(false);
});

describe('is not installed, and the reason is kept for the report', () => {
  const replaced = (name: string, bytes: Buffer | string) => new Map([...signed(fresh), [name, Buffer.from(bytes)]]);
  const without = (name: string) => new Map([...signed(fresh)].filter(([other]) => other !== name));
  const otherText = String(signed(fresh).get('manifest.json')).replace('"version":"1.2.3"', '"version":"1.2.4"');

  test.each([
    ['a release without a manifest', without('manifest.json'), 'unsigned'],
    ['a release without a signature', without('manifest.sig'), 'unsigned'],
    ['a release that another key signed', signed(fresh, INSTALLED + 1, makeReleaseKey()), 'unsigned'],
    ['a manifest that was changed', replaced('manifest.json', otherText), 'unsigned'],
    ['a signature that was cut short', replaced('manifest.sig', Buffer.alloc(63)), 'unsigned'],
    ['an older release with a good signature, played back', signed(fresh, INSTALLED - 1), 'older'],
    ['an agent that was changed', replaced('raha-agent.mjs', fresh.replace('fresh', 'FRESH')), 'changed'],
    ['an agent that was cut short', replaced('raha-agent.mjs', fresh.slice(0, -1)), 'incomplete'],
    ['a good release of another agent', signed('console.log("other")'), 'changed'],
  ] as const)('%s', async (_what, offered, reason) => {
    const upgrader = upgraderOf(offered);
    await expect(upgrader.replace(hashOf(fresh))).rejects.toThrow();
    expect(upgrader.refusal).toBe(reason);
    expect([read(), read('.release'), existsSync(`${file}.unproved`)]).toEqual([old, '100\n', false]);
  });
});

test('a machine of before signed releases trusts no key and installs nothing', async () => {
  rmSync(join(directory, 'release.pub'));
  const upgrader = upgraderOf(signed(fresh));
  await expect(upgrader.replace(hashOf(fresh))).rejects.toThrow('nodes token');
  expect([upgrader.refusal, read()]).toEqual(['no_key', old]);
});

test('the same release is not older: an upgrade that was interrupted is repeated', async () => {
  expect(await upgraderOf(signed(fresh, INSTALLED)).replace(hashOf(fresh))).toBe(true);
});

test('a refusal ends with the next release that is right', async () => {
  const offered = signed(fresh, INSTALLED - 1);
  const upgrader = upgraderOf(offered);
  await expect(upgrader.replace(hashOf(fresh))).rejects.toThrow('older');
  for (const [name, bytes] of signed(fresh)) offered.set(name, bytes);
  expect(await upgrader.replace(hashOf(fresh))).toBe(true);
  expect(upgrader.refusal).toBeUndefined();
});

test('an agent that does not start is not installed', async () => {
  const broken = 'throw new Error("no")';
  await expect(upgraderOf(signed(broken)).replace(hashOf(broken))).rejects.toThrow();
  expect([read(), existsSync(`${file}.unproved`)]).toEqual([old, false]);
});

test('an agent that was rolled back is not tried again; another one is', async () => {
  writeFileSync(`${file}.refused`, `${hashOf(fresh)}\n`);
  expect(await upgraderOf(signed(fresh)).replace(hashOf(fresh))).toBe(false);
  const better = 'console.log("better")';
  expect(await upgraderOf(signed(better)).replace(hashOf(better))).toBe(true);
});

test('an agent that runs from its sources is left alone', async () => {
  const upgrader = upgraderOf(signed(fresh), join(directory, 'main.ts'));
  expect(upgrader.current).toBeUndefined();
  expect(await upgrader.replace(hashOf(fresh))).toBe(false);
});
