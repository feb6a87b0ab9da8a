import { createCipheriv, hkdfSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createVault } from './sealed.ts';

const OLD = 'an old master key of more than 32 characters';
const NEW = 'a new master key of more than 32 characters';

describe('the vault', () => {
  test('derives as HKDF (RFC 5869) does, so that values of earlier releases stay readable', () => {
    const vault = createVault(OLD);
    expect(vault.derive('gift-card-1')).toEqual(Buffer.from(hkdfSync('sha256', OLD, 'raha', 'gift-card-1', 32)));
    const nonce = Buffer.alloc(12, 7);
    const cipher = createCipheriv('aes-256-gcm', Buffer.from(hkdfSync('sha256', OLD, 'raha', 'seal', 32)), nonce);
    const body = Buffer.concat([cipher.setAAD(Buffer.from('here')).update('secret'), cipher.final()]);
    const early = `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    expect(vault.open(early, 'here')).toBe('secret');
    expect(createVault(`${NEW}\n${OLD}\n`).open(early, 'here')).toBe('secret');
    expect(() => createVault(NEW).open(early, 'here')).toThrow();
    expect(() => vault.open(early, 'there')).toThrow();
  });

  test('two keys: both open, the older one seals until the newer one is named', () => {
    const before = createVault(OLD);
    const both = createVault(`${NEW}\n${OLD}`);
    expect(before.open(both.seal('a', 'x'), 'x')).toBe('a');
    both.keys.sealWith(both.keys.ids[0] as string);
    const sealed = both.seal('b', 'x');
    expect(sealed.startsWith(both.keys.prefix)).toBe(true);
    expect(createVault(NEW).open(sealed, 'x')).toBe('b');
    expect(() => before.open(sealed, 'x')).toThrow('a master key that is not here');
    expect(() => both.open(sealed, 'y')).toThrow();
  });

  test('derived keys stay, signing keys follow the master key', () => {
    const before = createVault(OLD);
    const after = createVault(NEW);
    after.keys.setRoot(before.keys.root());
    expect(after.derive('gift-card-1')).toEqual(before.derive('gift-card-1'));
    const both = createVault(`${NEW}\n${OLD}`);
    both.keys.sealWith(both.keys.ids[0] as string);
    expect(both.signingKeys('t')).toEqual([after.signingKeys('t')[0], before.signingKeys('t')[0]]);
  });
});
