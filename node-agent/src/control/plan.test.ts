import type { DesiredState, Peer } from '@raha/contract/node/protocol.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { credentialOf, identityOf, type PeerIdentity, planChanges } from './plan.ts';

const settings = {
  wireguard: { listenPort: 51820, address4: '10.64.0.1/16', address6: 'fd72::1/64', mtu: 1420 },
  samplePeriodMs: 2_000,
  reportPeriodMs: 4_000,
};
type WireguardPeer = Extract<Peer, { protocol: 'wireguard' }>;
const peer = (id: string, publicKey = `key-${id}`): WireguardPeer => ({
  id,
  protocol: 'wireguard',
  publicKey,
  presharedKey: 'psk',
  address4: `10.64.0.${id}`,
  address6: `fd72::${id}`,
  blocked: false,
  lease: null,
});
const actual = (...peers: Peer[]) => new Map<string, PeerIdentity>(peers.map((it) => [it.id, identityOf(it)]));
const key = (name: string) => ({ protocol: 'wireguard', name });
const snapshot = (...peers: Peer[]): DesiredState => ({
  kind: 'snapshot',
  generation: 2,
  settings,
  peers,
  removed: [],
});
const delta = (peers: Peer[], removed: string[] = []): DesiredState => ({
  kind: 'delta',
  generation: 2,
  settings,
  peers,
  removed,
});
const careful = { allowMassRemoval: false };

test.each([
  ['nothing changed', { kind: 'unchanged', generation: 2 } as const, actual(peer('2')), { kind: 'nothing' }],
  [
    'a new config',
    delta([peer('3')]),
    actual(peer('2')),
    { install: [identityOf(peer('3'))], forget: [], removed: [] },
  ],
  ['only a lease', delta([peer('2')]), actual(peer('2')), { upserted: [peer('2')], install: [], forget: [] }],
  [
    'new keys',
    delta([peer('2', 'new')]),
    actual(peer('2')),
    { install: [identityOf(peer('2', 'new'))], forget: [key('key-2')] },
  ],
  ['a removal', delta([], ['2']), actual(peer('2')), { install: [], forget: [key('key-2')], removed: ['2'] }],
  ['the removal of an unknown config', delta([], ['9']), actual(peer('2')), { forget: [], removed: [] }],
  [
    'a snapshot',
    snapshot(peer('3')),
    actual(peer('2')),
    { install: [identityOf(peer('3'))], forget: [key('key-2')], removed: ['2'] },
  ],
])('%s', (_, desired, present, expected) => {
  expect(planChanges(desired, present, careful)).toMatchObject(expected);
});

test('a snapshot in which most configs are missing is refused, unless the operator allows it', () => {
  const many = Array.from({ length: 30 }, (_, index) => peer(String(index + 2)));
  const few = many.slice(0, 14);
  expect(planChanges(snapshot(...few), actual(...many), careful)).toEqual({ kind: 'refuse', removals: 16, of: 30 });
  expect(planChanges(snapshot(), actual(...many), careful).kind).toBe('refuse');
  expect(planChanges(snapshot(...many.slice(0, 15)), actual(...many), careful).kind).toBe('apply');
  expect(planChanges(snapshot(), actual(...many.slice(0, 10)), careful).kind).toBe('apply');
  expect(planChanges(snapshot(), actual(...many), { allowMassRemoval: true }).kind).toBe('apply');
});

test('configs that are named as removed are removed, however many', () => {
  const many = Array.from({ length: 30 }, (_, index) => peer(String(index + 2)));
  const ids = many.map(({ id }) => id);
  expect(planChanges(delta([], ids), actual(...many), careful)).toMatchObject({ kind: 'apply', removed: ids });
  // The agent restarted before it could remove them: the snapshot still names them.
  const named = { ...snapshot(...many.slice(0, 3)), removed: ids.slice(3) };
  expect(planChanges(named, actual(...many), careful)).toMatchObject({ kind: 'apply', removed: ids.slice(3) });
  const half = { ...snapshot(), removed: ids.slice(0, 13) };
  expect(planChanges(half, actual(...many), careful)).toEqual({ kind: 'refuse', removals: 17, of: 30 });
});

test('forgetting, then installing, leaves the tunnel with exactly the desired peers', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 2, max: 30 }), { maxLength: 20 });
  const renewed = fc.uniqueArray(fc.integer({ min: 2, max: 30 }), { maxLength: 20 });
  fc.assert(
    fc.property(ids, ids, renewed, (present, desired, fresh) => {
      const before = actual(...present.map((id) => peer(String(id))));
      const peers = desired.map((id) => peer(String(id), fresh.includes(id) ? `new-${id}` : `key-${id}`));
      const plan = planChanges(snapshot(...peers), before, { allowMassRemoval: true });
      if (plan.kind !== 'apply') throw new Error(plan.kind);
      const keys = new Set([...before.values()].map((it) => credentialOf(it).name));
      for (const { name } of plan.forget) keys.delete(name);
      for (const it of plan.install) keys.add(credentialOf(it).name);
      expect([...keys].sort()).toEqual(peers.map((it) => it.publicKey).sort());
    }),
  );
});

test.each(['openvpn', 'ikev2'] as const)(
  'a device of %s is installed again when it is blocked, and its old name is forgotten',
  (protocol) => {
    const slotFields = { id: '7', address4: '10.66.0.7', address6: 'fd72::7', lease: null };
    const device = (name: string, blocked = false): Peer =>
      protocol === 'openvpn'
        ? { ...slotFields, protocol, commonName: name, blocked }
        : { ...slotFields, protocol, userName: name, ntHash: '0'.repeat(32), blocked };
    const before = actual(device('one'));
    expect(planChanges(delta([device('one')]), before, careful)).toMatchObject({ install: [], forget: [] });
    expect(planChanges(delta([device('one', true)]), before, careful)).toMatchObject({
      install: [identityOf(device('one', true))],
      forget: [],
    });
    expect(planChanges(delta([device('two')]), before, careful)).toMatchObject({
      install: [identityOf(device('two'))],
      forget: [{ protocol, name: 'one' }],
    });
    expect(planChanges(delta([], ['7']), before, careful)).toMatchObject({ forget: [{ protocol, name: 'one' }] });
  },
);
