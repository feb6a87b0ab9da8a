import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadIdentity } from './identity.ts';
import { createDurableFile, openSpool } from './spool.ts';
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

test('of writes that wait for their turn only the newest happens, and all are told when it is done', async () => {
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

test('only its owner may read the spool; what is not whole is not read', async () => {
  const path = directory();
  const spool = openSpool(path);
  expect(spool.readUsage()).toBeNull();
  const state = startUsage('a'.repeat(32), 'boot');
  await spool.writeUsage(state);
  expect(statSync(join(path, 'usage.json')).mode & 0o777).toBe(0o600);
  expect(spool.readUsage()).toEqual(state);
  writeFileSync(join(path, 'usage.json'), '{"epoch":');
  expect(spool.readUsage()).toBeNull();
});

test('a file that cannot be read is not one that is not there', () => {
  const at = directory();
  expect(createDurableFile(join(at, 'none')).read(String)).toBeNull();
  // A directory under its name stands for a disk that answers EIO.
  expect(() => createDurableFile(at).read(String)).toThrow(/EISDIR/);
});

test('an identity that cannot be read is kept: another would shut out every device of the node', async () => {
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
