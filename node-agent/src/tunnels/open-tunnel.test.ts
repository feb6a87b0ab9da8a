import { expect, test } from 'vitest';
import type { AgentContext } from '../agent-context.ts';
import { openTunnel } from './open-tunnel.ts';
import type { Tunnel } from './tunnel.ts';
import { createTunnelState } from './tunnel-state.ts';

test('a config that is being removed is not let in again when its tunnel is reopened meanwhile', async () => {
  const installed: string[] = [];
  const tunnel = {
    protocol: 'wireguard',
    name: 'wireguard',
    settingsOf: () => ({}),
    open: async () => ({ adopted: true, installed: new Set(['key-removing-adopted']), nodeAddresses: [] }),
    apply: async (peers: readonly { id: string }[]) => void installed.push(...peers.map(({ id }) => id)),
  } as unknown as Tunnel;
  const ids = ['active', 'unmetered', 'removing', 'removing-adopted', 'removed'];
  const presence = { active: 'active', removing: 'removing', 'removing-adopted': 'removing', removed: 'removed' };
  const peers = new Map(ids.map((id) => [id, { id, protocol: 'wireguard', publicKey: `key-${id}` }]));
  const configs = new Map(Object.entries(presence).map(([id, state]) => [id, { presence: state }]));
  const context = {
    applied: { settings: {}, peers },
    metering: { usage: { configs } },
    tunnelState: createTunnelState(),
    firewall: { answerPings: async () => {} },
    log: { info: () => {} },
  } as unknown as AgentContext;
  await openTunnel(context, tunnel);
  // One without a meter passes nothing, and the desired state decides about it.
  expect(installed).toEqual(['active', 'unmetered']);
  expect(context.tunnelState.unknownPeers.get('wireguard')).toEqual(new Set(['key-removing-adopted']));
});
