import { expect, test } from 'vitest';
import { refuseWeak } from './refuse-weak.ts';

test.each([
  ['Raha-2026!', 'of the product'],
  ['RahaVPN-2026', 'of the product'],
  ['WireGuard#1', 'of what it sells'],
  ['رها۱۴۰۵!!', 'of the product, in Persian'],
  ['Niloofar1366', 'of the own address'],
  ['N1loofar+VPN', undefined],
  ['Raha rocks 99', undefined],
  ['Correct-horse-7', undefined],
])('%s is made of a name %s', (password, name) => {
  const refusal = () => refuseWeak(password, 'niloofar.1366@mail.example');
  if (name) expect(refusal).toThrowError(expect.objectContaining({ fields: { password: 'password_name' } }));
  else expect(refusal).not.toThrow();
});
