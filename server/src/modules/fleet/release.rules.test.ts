import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkRelease, openRelease } from './release.ts';
import { makeReleaseKey, publicKeyOf, readReleaseKey, signRelease } from './sign-release.ts';

let directory: string;
const path = (...names: string[]) => join(directory, ...names);
const now = new Date('2026-11-01T00:00:00Z');

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-release-'));
  writeFileSync(path('agent'), 'the agent');
  writeFileSync(path('runtime'), 'the runtime');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function signed(at = now) {
  if (!existsSync(path('keys'))) makeReleaseKey(path('keys'));
  const key = readReleaseKey(path('keys', 'release.key'));
  const files = { 'raha-agent.mjs': path('agent'), 'node-linux-x64': path('runtime') };
  return signRelease({ key, files, out: path('out'), now: at });
}

describe('the key', () => {
  test('is a private file, and is never overwritten', () => {
    const { file, publicKey } = makeReleaseKey(path('keys'));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(publicKeyOf(readReleaseKey(file))).toBe(publicKey);
    expect(() => makeReleaseKey(path('keys'))).toThrow('a key');
  });

  test.each([
    ['nothing', undefined],
    ['a text', 'no key'],
    [
      'an RSA key',
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    ],
  ])('%s is not taken for one', (_what, content) => {
    if (content !== undefined) writeFileSync(path('release.key'), content);
    expect(() => readReleaseKey(path('release.key'))).toThrow('Ed25519');
  });
});

describe('a signed release', () => {
  test('holds its files, a manifest without a choice of its text, and a signature over exactly that text', () => {
    const { publicKey, manifest } = signed();
    expect(readdirSync(path('out')).sort()).toEqual([
      ...['manifest.json', 'manifest.sig', 'node-linux-x64', 'raha-agent.mjs'],
    ]);
    const text = readFileSync(path('out', 'manifest.json'));
    expect(text.toString()).toMatch(
      /^\{"files":\{"node-linux-x64":\{"sha256":"[0-9a-f]{64}","size":11\},"raha-agent.mjs":\{"sha256":"[0-9a-f]{64}","size":9\}\},"kind":"raha-agent-release","release":1793491200,"version":"[\d.]+"\}$/,
    );
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' });
    expect(verify(null, text, key, readFileSync(path('out', 'manifest.sig')))).toBe(true);
    expect(checkRelease(path('out'), publicKey)).toMatchObject({ release: { manifest } });
  });

  test('has a higher number than the one before, even if the clock went back', () => {
    const first = signed().manifest.release;
    expect(signed(new Date('2020-01-01')).manifest.release).toBe(first + 1);
    expect(signed(new Date('2027-01-01')).manifest.release).toBeGreaterThan(first + 1);
  });

  test('never replaces a directory that holds something else', () => {
    mkdirSync(path('out'));
    writeFileSync(path('out', 'letter'), 'dear');
    expect(() => signed()).toThrow('neither');
    expect(readFileSync(path('out', 'letter'), 'utf8')).toBe('dear');
    expect(readdirSync(directory).filter((name) => name.startsWith('.release'))).toEqual([]);
  });
});

describe('is not offered to nodes', () => {
  const overwrite = (name: string, content: string) => () => writeFileSync(path('out', name), content);

  test.each([
    ['no release', () => rmSync(path('out'), { recursive: true }), 'no signed release'],
    ['no signature', () => rmSync(path('out', 'manifest.sig')), 'no signed release'],
    ['a changed manifest', overwrite('manifest.json', '{}'), 'not signed with the key'],
    ['a changed signature', overwrite('manifest.sig', 'x'.repeat(64)), 'not signed with the key'],
    ['a missing file', () => rmSync(path('out', 'raha-agent.mjs')), 'raha-agent.mjs'],
    ['a file that was cut short', overwrite('raha-agent.mjs', 'the ag'), 'raha-agent.mjs'],
  ])('%s', (_what, change, problem) => {
    const { publicKey } = signed();
    change();
    expect(openRelease(path('out'), publicKey)).toEqual({ problem: expect.stringContaining(problem) });
  });

  test('a changed file of the same size, once its files are read', () => {
    const { publicKey } = signed();
    writeFileSync(path('out', 'raha-agent.mjs'), 'THE AGENT');
    expect(checkRelease(path('out'), publicKey)).toEqual({ problem: expect.stringContaining('not the file') });
  });

  test('what another key has signed', () => {
    signed();
    const other = publicKeyOf(generateKeyPairSync('ed25519').privateKey);
    expect(openRelease(path('out'), other)).toEqual({ problem: expect.stringContaining('not signed with the key') });
  });
});
