import type { Server } from '@raha/contract/public/configs.ts';
import { expect, test } from 'vitest';
import { defaultConfig, freeName } from './default-config.ts';

function server(id: string, recommendationScore: number, protocols: Server['protocols'], isOnline = true): Server {
  return {
    id,
    name: id,
    isOnline,
    status: 'active',
    location: { country: 'DE', city: 'Frankfurt' },
    protocols,
    ping: null,
    recommendationScore,
    performance: { currentLoad: 0 },
  };
}

const best = server('best', 9, ['wireguard']);
const second = server('second', 5, ['wireguard', 'openvpn', 'ikev2']);
const away = server('away', 10, ['wireguard', 'ikev2'], false);

test.each([
  ['an Android phone: WireGuard on the best server', 'android', [second, best], 'best', 'wireguard'],
  ['an iPhone: its own IKEv2, although another server is better', 'ios', [best, second], 'second', 'ikev2'],
  ['a Mac: the same', 'macos', [second], 'second', 'ikev2'],
  ['an iPhone where nobody serves IKEv2', 'ios', [best], 'best', 'wireguard'],
  ['Windows: WireGuard', 'windows', [second, best], 'best', 'wireguard'],
  ['Linux, where only OpenVPN is served', 'linux', [server('old', 1, ['openvpn'])], 'old', 'openvpn'],
  ['a server that is away is not taken', 'android', [away, second], 'second', 'wireguard'],
] as const)('%s', (_what, system, servers, id, protocol) => {
  const made = defaultConfig(system, servers, 'گوشی سارا');
  expect([made?.server.id, made?.protocol]).toEqual([id, protocol]);
});

test('nothing without a server, nor without the protocol that is asked for', () => {
  expect(defaultConfig('android', [away], 'x')).toBeUndefined();
  expect(defaultConfig('android', [server('old', 1, ['openvpn'])], 'x', ['wireguard'])).toBeUndefined();
});

test.each([
  ['گوشی سارا', [], 'گوشی سارا'],
  ['گوشی سارا', ['گوشی سارا'], 'گوشی سارا 2'],
  ['گوشی سارا', ['گوشی سارا', 'گوشی سارا 2'], 'گوشی سارا 3'],
  ['ن'.repeat(60), [], 'ن'.repeat(36)],
])('the name %s beside %j', (base, taken, name) => {
  expect(freeName(base, taken, String)).toBe(name);
});
