import { createPrivateKey, createPublicKey } from 'node:crypto';
import { wireguardKey } from '@raha/contract/public/configs.ts';
import { expect, test } from 'vitest';
import { canMakeKeys, makeKeyPair } from './wireguard-keys.ts';

test('the private key belongs to the public key, in the form WireGuard reads', async () => {
  expect(await canMakeKeys()).toBe(true);
  const { publicKey, privateKey } = await makeKeyPair();
  expect(wireguardKey.safeParse(publicKey).success).toBe(true);
  expect(Buffer.from(privateKey, 'base64')).toHaveLength(32);
  const header = Buffer.from('302e020100300506032b656e04220420', 'hex');
  const der = Buffer.concat([header, Buffer.from(privateKey, 'base64')]);
  const derived = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
  expect(derived.export({ format: 'jwk' }).x).toBe(Buffer.from(publicKey, 'base64').toString('base64url'));
});
