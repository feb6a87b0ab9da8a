import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadIdentity } from '../control/identity.ts';
import { createDurableFile } from '../platform/durable-file.ts';
import { openSpool } from './spool.ts';
import { startUsage } from './usage-state.ts';

const used: string[] = [];
const directory = () => {
  const path = mkdtempSync(join(tmpdir(), 'raha-spool-'));
  used.push(path);
  return path;
};
afterAll(() => {
  for (const path of used) rmSync(path, { recursive: true });
});

test('of the writes that wait only the newest is made, and all resolve when it is done', async () => {
  const path = join(directory(), 'file');
  const file = createDurableFile(path);
  let encoded = 0;
  const write = (text: string) =>
    file.write(() => {
      encoded += 1;
      return text;
    });
  await Promise.all([write('1'), write('2'), write('3'), write('4')]);
  expect(readFileSync(path, 'utf8')).toBe('4');
  expect(encoded).toBe(2);
  await write('5');
  expect(readFileSync(path, 'utf8')).toBe('5');
});

test('only its owner may read the spool; a damaged file is not read', async () => {
  const path = directory();
  const spool = openSpool(path, join(directory(), 'usage.json'));
  expect(spool.readUsage()).toBeNull();
  const state = startUsage('a'.repeat(32), 'boot');
  await spool.writeUsage(state);
  expect(statSync(join(path, 'usage.json')).mode & 0o777).toBe(0o600);
  expect(spool.readUsage()).toEqual(state);
  writeFileSync(join(path, 'usage.json'), '{"epoch":');
  expect(spool.readUsage()).toBeNull();
});

test('what another version of the protocol stored is not read', async () => {
  const path = directory();
  const spool = openSpool(path, join(directory(), 'usage.json'));
  const settings = { wireguard: { listenPort: 1, address4: '', address6: '', mtu: 1420 } };
  await spool.writeUsage(startUsage('a'.repeat(32), 'boot'));
  await spool.writeDesired({
    generation: 1,
    settings: { ...settings, samplePeriodMs: 1, reportPeriodMs: 1 },
    peers: [],
  });
  expect([spool.readUsage()?.epoch, spool.readDesired()?.generation]).toEqual(['a'.repeat(32), 1]);
  for (const name of ['usage.json', 'desired.json']) {
    const { protocol: _, ...rest } = JSON.parse(readFileSync(join(path, name), 'utf8'));
    writeFileSync(join(path, name), JSON.stringify(rest));
  }
  expect([spool.readUsage(), spool.readDesired()]).toEqual([null, null]);
});

const fresh = startUsage('a'.repeat(32), 'boot');
const numbered = (seq: number) => ({ ...fresh, seq });

/** A state directory on a disk that fills up and has room again, and a fallback in memory. */
function fillable() {
  const [disk, memory] = [directory(), directory()];
  const fallback = join(memory, 'run', 'usage.json');
  const draft = join(disk, 'usage.json.new');
  return {
    ...{ disk, fallback },
    // Every agent opens the spool again.
    open: () => openSpool(disk, fallback),
    fill: () => symlinkSync('/dev/full', draft),
    clear: () => rmSync(draft),
  };
}

test('on a full disk the usage is kept in memory, and on the disk again as soon as there is room', async () => {
  const { open, fill, clear, disk, fallback } = fillable();
  await open().writeUsage(numbered(1));
  fill();
  for (const seq of [2, 3]) {
    await open().writeUsage(numbered(seq));
    expect(open().readUsage()).toEqual(numbered(seq));
  }
  expect(statSync(fallback).mode & 0o777).toBe(0o600);
  clear();
  expect(open().readUsage()).toEqual(numbered(3));
  await open().writeUsage(numbered(4));
  expect(open().readUsage()).toEqual(numbered(4));
  expect(readdirSync(join(fallback, '..'))).toEqual([]);
  expect(readdirSync(disk)).toEqual(['usage.json']);
});

test('a disk that was full from the beginning leaves no usage behind for the next enrolment', async () => {
  const { open, fill, fallback } = fillable();
  fill();
  await expect(open().writeUsage(numbered(1))).rejects.toThrow(/ENOSPC/);
  expect(() => statSync(fallback)).toThrow(/ENOENT/);
});

test('the fallback is used only when it follows what is on the disk', async () => {
  const { open, fill, clear, fallback } = fillable();
  await open().writeUsage(numbered(1));
  fill();
  await open().writeUsage(numbered(2));
  clear();
  copyFileSync(fallback, `${fallback}.copy`);
  await open().writeUsage(numbered(3));
  // The agent was killed when the disk had the newer state and the fallback still the older one.
  copyFileSync(`${fallback}.copy`, fallback);
  expect(open().readUsage()).toEqual(numbered(3));
});

test('usage of another registration is deleted from the fallback, too', async () => {
  const { open, fill, fallback } = fillable();
  await open().writeUsage(numbered(1));
  fill();
  await open().writeUsage(numbered(2));
  open().forget();
  expect(open().readUsage()).toBeNull();
  expect(() => statSync(fallback)).toThrow(/ENOENT/);
});

test('the fallback is used for no other error than a full disk', async () => {
  const { open, disk, fallback } = fillable();
  mkdirSync(join(disk, 'usage.json.new'));
  await expect(open().writeUsage(numbered(1))).rejects.toThrow(/EISDIR/);
  expect(() => statSync(fallback)).toThrow(/ENOENT/);
});

test('an unreadable file is not taken for an absent one', () => {
  const at = directory();
  expect(createDurableFile(join(at, 'none')).read(String)).toBeNull();
  // A directory under its name stands for a disk that returns EIO.
  expect(() => createDurableFile(at).read(String)).toThrow(/EISDIR/);
});

test('a damaged identity is kept: a new one would shut out every device of the node', async () => {
  const at = directory();
  const path = join(at, 'identity.json');
  await loadIdentity(at);
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, whole.slice(0, 100));
  await expect(loadIdentity(at)).rejects.toThrow('identity.json');
  expect(readFileSync(path, 'utf8')).toBe(whole.slice(0, 100));
  writeFileSync(path, whole);
  await loadIdentity(at);
  expect(readFileSync(path, 'utf8')).toBe(whole);
});
