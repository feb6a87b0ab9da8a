import { expect, test } from 'vitest';
import { readHost } from './host.ts';

test.each([
  '203.0.113.7',
  '2001:db8::1',
  'de1',
  'de-1.example',
  '1.example',
  'xn--mgba3a4f16a.example',
  `${'a'.repeat(63)}.example`,
])('%s can be dialled', (host) => {
  expect(readHost(host)).toBe(host);
});

test('case does not matter', () => {
  expect([readHost('DE-1.Example'), readHost('2001:DB8::1')]).toEqual(['de-1.example', '2001:db8::1']);
});

test.each([
  '',
  'http://foo bar',
  'http://de1.example',
  'de1.example:51820',
  'de1.example/',
  'de_1.example',
  '-de1.example',
  'de1-.example',
  'de1..example',
  'de1.example.',
  'de1.example\nPersistentKeepalive',
  'آلمان.example',
  '300.1.1.1',
  '1.2.3',
  '1.2.3.4.5',
  '203.0.113.07',
  '0x7f.1',
  '[2001:db8::1]',
  '2001:db8::1/64',
  'fe80::1%eth0',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(127)}de`,
])('%s cannot', (host) => {
  expect(readHost(host)).toBeUndefined();
});
