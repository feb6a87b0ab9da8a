import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certify, createCertificateAuthority } from './certificates.ts';
import { openFileSigner } from './signed-file.ts';

let directory: string;
const clock = { now: () => new Date() };
const at = (name: string) => join(directory, name);

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-signed-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function makeSigner(kind: 'rsa' | 'ecdsa'): Promise<string> {
  const { privateKey, publicKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 3072 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const authority = await createCertificateAuthority('A root', clock.now(), 10);
  const spki = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const order = { commonName: 'Raha', publicKey: spki, key: kind, usage: 'client', days: 5 } as const;
  const certificate = await certify(authority, order, clock.now());
  writeFileSync(at('root.pem'), authority.certificate);
  writeFileSync(at('signer.pem'), `${privateKey.export({ type: 'pkcs8', format: 'pem' })}${certificate}`);
  return at('signer.pem');
}

test.each(['rsa', 'ecdsa'] as const)('OpenSSL finds the content and a good signature (%s)', async (kind) => {
  const sign = openFileSigner(await makeSigner(kind), clock);
  for (const content of ['', 'پروفایل', 'x'.repeat(70_000)]) {
    writeFileSync(at('signed.der'), sign(Buffer.from(content)));
    const verify = ['cms', '-verify', '-binary', '-inform', 'DER', '-in', at('signed.der'), '-out', at('content')];
    execFileSync('openssl', [...verify, '-CAfile', at('root.pem'), '-purpose', 'any'], { stdio: 'pipe' });
    expect(readFileSync(at('content'), 'utf8')).toBe(content);
  }
  const broken = sign(Buffer.from('profile'));
  broken[broken.indexOf('profile')] = 'P'.charCodeAt(0);
  writeFileSync(at('signed.der'), broken);
  const verify = ['cms', '-verify', '-binary', '-inform', 'DER', '-in', at('signed.der'), '-out', at('content')];
  expect(() =>
    execFileSync('openssl', [...verify, '-CAfile', at('root.pem'), '-purpose', 'any'], { stdio: 'pipe' }),
  ).toThrow();
});

test('a key without its certificate is refused when it is opened', async () => {
  const path = await makeSigner('ecdsa');
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const certificate = readFileSync(path, 'utf8').replace(/-----BEGIN PRIVATE KEY[\s\S]+?END PRIVATE KEY-----/, '');
  writeFileSync(path, `${other.export({ type: 'pkcs8', format: 'pem' })}${certificate}`);
  expect(() => openFileSigner(path, clock)).toThrow('no certificate for its private key');
  expect(() => openFileSigner(at('none.pem'), clock)).toThrow();
});
