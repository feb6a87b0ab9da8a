import type { Config } from '@raha/contract/public/configs.ts';
import { describe, expect, test } from 'vitest';
import { forAmnezia, portOf, variantName, withPort } from './wireguard-variants.ts';

const fileTo = (endpoint: string) => `[Interface]
PrivateKey = aGVsbG8=
Address = 10.64.0.2/32, fd72:6168:6100::2/128
MTU = 1420

[Peer]
AllowedIPs = 0.0.0.0/0, ::/0
Endpoint = ${endpoint}
PersistentKeepalive = 25
`;

test.each(['203.0.113.7', '[2001:db8::7]', 'de1.example'])('only the port of %s changes', (host) => {
  expect(portOf(fileTo(`${host}:51820`))).toBe(51820);
  expect(withPort(fileTo(`${host}:51820`), 53)).toBe(fileTo(`${host}:53`));
});

test('a file without an endpoint has no port', () => {
  expect(portOf('client\nremote de1.example 1194\n')).toBeUndefined();
});

test.each(['WireGuard', 'AmneziaWG'] as const)('a name that %s takes, whatever the port', (app) => {
  const name = variantName({ id: '0197f000-0000-7000-8000-00000000ab12' } as Config, 65535, app);
  expect(name).toMatch(/^[a-zA-Z0-9_=+.-]{1,15}\.conf$/);
});

describe('a file for AmneziaWG', () => {
  const file = forAmnezia(fileTo('203.0.113.7:53'));
  const sections = file.split('\n\n').map((section) => section.trim().split('\n'));
  const keys = new Map(sections[0]?.slice(1).map((line) => line.split(' = ') as [string, string]));
  const value = (key: string) => {
    expect(keys.get(key)).toMatch(/^\d+$/);
    return Number(keys.get(key));
  };

  test('is the usual one with nine more keys of its first section, and nothing else', () => {
    expect(sections.map(([head]) => head)).toEqual(['[Interface]', '[Peer]']);
    const more = ['Jc', 'Jmin', 'Jmax', 'S1', 'S2', 'H1', 'H2', 'H3', 'H4'];
    expect([...keys.keys()].slice(-9)).toEqual(more);
    const isMore = (line: string) => more.includes(line.split(' = ')[0] ?? '');
    expect(
      file
        .split('\n')
        .filter((line) => !isMore(line))
        .join('\n'),
    ).toBe(fileTo('203.0.113.7:53'));
  });

  test('keeps to what the format demands, and to what a plain WireGuard server understands', () => {
    expect(value('Jc')).toBeGreaterThanOrEqual(1);
    expect(value('Jc')).toBeLessThanOrEqual(128);
    expect(value('Jmin')).toBeLessThan(value('Jmax'));
    expect(value('Jmax')).toBeLessThanOrEqual(1280);
    expect([value('S1'), value('S2')]).toEqual([0, 0]);
    expect([value('H1'), value('H2'), value('H3'), value('H4')]).toEqual([1, 2, 3, 4]);
  });
});
