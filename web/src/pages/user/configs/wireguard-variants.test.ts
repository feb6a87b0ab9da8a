import type { Config } from '@raha/contract/public/configs.ts';
import { expect, test } from 'vitest';
import { portOf, variantName, withPort } from './wireguard-variants.ts';

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

test('a name that every client takes, whatever the port', () => {
  expect(variantName({ id: '0197f000-0000-7000-8000-00000000ab12' } as Config, 65535)).toMatch(
    /^[a-zA-Z0-9_=+.-]{1,15}\.conf$/,
  );
});
