import { expect, test } from 'vitest';
import type { Runtime } from '../runtime.ts';
import { openTunnel } from './open-tunnel.ts';
import type { Tunnel } from './tunnel.ts';

test('who is being removed is not let in again by a tunnel that is opened meanwhile', async () => {
  const installed: string[] = [];
  const tunnel = {
    protocol: 'wireguard',
    settingsOf: () => ({}),
    open: async () => ({ adopted: true, installed: new Set(['key-leaving-adopted']), ownAddresses: [] }),
    apply: async (peers: readonly { id: string }[]) => void installed.push(...peers.map(({ id }) => id)),
  } as unknown as Tunnel;
  const ids = ['here', 'unmetered', 'leaving', 'leaving-adopted', 'left'];
  const presence = { here: 'here', leaving: 'leaving', 'leaving-adopted': 'leaving', left: 'left' };
  const runtime = {
    up: new Set(),
    settings: {},
    peers: new Map(ids.map((id) => [id, { id, protocol: 'wireguard', publicKey: `key-${id}` }])),
    usage: { configs: new Map(Object.entries(presence).map(([id, state]) => [id, { presence: state }])) },
    strangers: new Map(),
    firewall: { answerPings: async () => {} },
    log: { info: () => {} },
  } as unknown as Runtime;
  await openTunnel(runtime, tunnel);
  // One that no meter knows passes nothing, and the wanted state decides about it.
  expect(installed).toEqual(['here', 'unmetered']);
  expect(runtime.strangers.get('wireguard')).toEqual(new Set(['key-leaving-adopted']));
});
