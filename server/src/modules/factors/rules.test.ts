import { recoveryCode } from '@raha/contract/public/factors.ts';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { recoveryCodeOf, relyingPartyOf, showRecoveryCode, stepOf } from './rules.ts';

test.each([
  ['https://raha.example', { id: 'raha.example', origin: 'https://raha.example' }],
  ['https://my.raha.example:8443/', { id: 'my.raha.example', origin: 'https://my.raha.example:8443' }],
  // Browsers know no passkeys of addresses; on loopback they know localhost.
  ['http://127.0.0.1:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['http://[::1]:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['http://localhost:3000', { id: 'localhost', origin: 'http://localhost:3000' }],
  ['https://192.0.2.7', undefined],
  ['https://[2001:db8::7]', undefined],
  ['http://raha.example', undefined],
])('passkeys of %s belong to %o', (publicUrl, expected) => {
  expect(relyingPartyOf(publicUrl)).toEqual(expected);
});

test('the step of a code is counted in half minutes', () => {
  expect(stepOf(new Date(59_999), 0)).toBe(1n);
  expect(stepOf(new Date(60_000), 0)).toBe(2n);
  expect(stepOf(new Date(60_000), -1)).toBe(1n);
});

test('every recovery code is accepted as shown, and as people misread it', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const code = recoveryCodeOf(new Uint8Array(10).fill(byte));
    expect(z.parse(recoveryCode, showRecoveryCode(code))).toBe(code);
    const misread = ` ${code.toUpperCase().replaceAll('0', 'O').replaceAll('1', 'l')} `;
    expect(z.parse(recoveryCode, misread)).toBe(code);
  }
});
