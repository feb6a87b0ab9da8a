import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalAddress } from './canonical-address.ts';

test.each([
  ['name@mail.example', 'name@mail.example'],
  ['Name@Mail.Example', 'name@mail.example'],
  ['name+tag@mail.example', 'name@mail.example'],
  ['name+a+b@mail.example', 'name@mail.example'],
  ['first.last@mail.example', 'first.last@mail.example'],
  ['first.last+tag@gmail.com', 'firstlast@gmail.com'],
  ['f.i.r.s.t@googlemail.com', 'first@gmail.com'],
  ['+tag@mail.example', '+tag@mail.example'],
  ['...@gmail.com', '...@gmail.com'],
  ['not-an-address', 'not-an-address'],
])('%s is counted as %s', (email, canonical) => {
  expect(canonicalAddress(email)).toBe(canonical);
});

test('a canonical address is its own canonical address, and keeps a name', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (email) => {
      const canonical = canonicalAddress(email);
      expect(canonicalAddress(canonical)).toBe(canonical);
      expect(canonical).toMatch(/^.+@.+$/);
    }),
  );
});
