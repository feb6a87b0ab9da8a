import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { expect, test } from 'vitest';
import { choosePorts, listeningPorts } from './more-wireguard-ports.ts';

const udp = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  344: 3500007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 17 2 0000000000000000 0
  414: 00000000:007B 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 18 2 0000000000000000 0
  515: 026433C6:20FB 500200C0:0035 01 00000000:00000000 00:00000000 00000000     0        0 19 2 0000000000000000 0
`;
const udp6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue
  344: 00000000000000000000000001000000:61A8 00000000000000000000000000000000:0000 07 00000000:00000000
  345: 00000000000000000000000000000000:0D96 00000000000000000000000000000000:0000 07 00000000:00000000
`;

test('only sockets that wait for anybody from outside use a port', () => {
  // 53 and 25000 are the machine's own, 8443 is a client, 123 and 3478 are servers.
  expect([...listeningPorts([udp, udp6])]).toEqual([123, 3478]);
});

test.each([
  ['all', {}, [], [53, 123, 500, 1194, 4500]],
  ['without those of the other protocols', { openvpn: { port: 1194 }, ikev2: {} }, [], [53, 123]],
  ['without OpenConnect’s', { openvpn: { port: 1194, openconnect: { port: 53, udp: true } } }, [], [123, 500, 4500]],
  [
    'and one that OpenConnect has over TCP only',
    { openvpn: { openconnect: { port: 53 } } },
    [500],
    [53, 123, 1194, 4500],
  ],
  ['without those of other programs', {}, [53, 500], [123, 1194, 4500]],
])('further ports: %s', (_what, more, foreign, expected) => {
  const wireguard = { listenPort: 51820, morePorts: [53, 123, 500, 51820, 1194, 53, 4500] };
  expect(choosePorts({ wireguard, ...more } as unknown as NodeSettings, new Set(foreign))).toEqual(expected);
});

test('a control plane that names none gets none', () => {
  expect(choosePorts({ wireguard: { listenPort: 51820 } } as unknown as NodeSettings, new Set())).toEqual([]);
});
