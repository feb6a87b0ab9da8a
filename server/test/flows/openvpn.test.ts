import { X509Certificate } from 'node:crypto';
import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRelay, removeRelay } from '../../src/modules/fleet/add-relay.ts';
import { blockEntry, unblockEntry } from '../../src/modules/fleet/entries.ts';
import { readRelayCommand } from '../../src/modules/fleet/relays.ts';
import { setOpenconnect } from '../../src/modules/fleet/set-openconnect.ts';
import { setTcpWebsite } from '../../src/modules/fleet/set-tcp-website.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

let world: TestWorld;
let node: FakeNode;

beforeAll(async () => {
  world = await openTestWorld();
  node = await enrolFakeNode(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

const part = (file: string, name: string) => new RegExp(`<${name}>\\n([^]+?)</${name}>`).exec(file)?.[1] ?? '';
const order = (serverId: string) => ({ name: 'پروفایل', serverId, protocol: 'openvpn' as const });

describe('OpenVPN', () => {
  test('is offered by servers that report serving it, and by no other', async () => {
    const { api } = await world.user();
    const offered = async () => {
      const { data } = await api.listServers();
      return data.servers.find(({ id }) => id === node.id)?.protocols;
    };
    expect(await offered()).toEqual(['wireguard']);
    await expect(api.createConfig({ body: order(node.id) })).rejects.toMatchObject({ code: 'protocol_unavailable' });
    await node.serveOpenvpn();
    expect(await offered()).toEqual(['wireguard', 'openvpn']);
    node.protocols = ['wireguard'];
    await node.report([]);
    expect(await offered()).toEqual(['wireguard']);
    await expect(api.createConfig({ body: order(node.id) })).rejects.toMatchObject({ code: 'protocol_unavailable' });
    node.protocols = ['wireguard', 'openvpn'];
    await node.report([]);
  });

  test('the node’s certificate comes with its desired state, for its own key, from a certificate authority whose key it never gets', async () => {
    const own = await node.serveOpenvpn();
    const state = await node.sync();
    const settings = node.settings?.openvpn;
    const [authority, certificate] = [settings?.certificateAuthority, settings?.certificate].map(
      (pem) => new X509Certificate(pem ?? ''),
    ) as [X509Certificate, X509Certificate];
    expect(certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')).toBe(own);
    expect([certificate.subject, certificate.ca, authority.ca]).toEqual([`CN=${node.id}`, false, true]);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(JSON.stringify(state)).not.toContain('PRIVATE KEY');

    const { generation } = state;
    await node.certify(own);
    expect((await node.sync()).generation).toBe(generation);
    await expect(node.certify('AAAA')).rejects.toMatchObject({ status: 422 });
    await node.serveOpenvpn();
    expect((await node.sync()).generation).toBeGreaterThan(generation);
    expect(new X509Certificate(node.settings?.openvpn?.certificateAuthority ?? '').raw).toEqual(authority.raw);
  });

  test('a config is a profile in one file, whose certificate its node accepts', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: order(node.id) });
    await node.settle();
    const peer = node.peers.get(data.config.id);
    const device = new X509Certificate(part(data.file, 'cert'));
    expect(peer).toMatchObject({ protocol: 'openvpn', blocked: false, lease: { limitBytes: limits.lease.idleBytes } });
    expect(peer?.address4).toMatch(/^10\.65\./);
    expect(`CN=${peer?.protocol === 'openvpn' && peer.commonName}`).toBe(device.subject);
    expect(device.verify(new X509Certificate(part(data.file, 'ca')).publicKey)).toBe(true);
    expect(device.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(data.filename).toMatch(/^raha-de-[0-9a-f]{4}\.ovpn$/);
    expect(data.file).toContain(`verify-x509-name ${node.id} name`);
    expect(data.config).toMatchObject({ protocol: 'openvpn', keepKey: true });

    const params = { id: data.config.id };
    expect(await api.downloadConfig({ params })).toBe(data.file);
    await expect(api.configQr({ params })).rejects.toMatchObject({ status: 404 });

    const { data: reset } = await api.resetConfig({ params, body: {} });
    await node.sync();
    const renewed = node.peers.get(data.config.id);
    expect(part(reset.file, 'cert')).not.toBe(part(data.file, 'cert'));
    expect(renewed).toMatchObject({ address4: peer?.address4, address6: peer?.address6 });
    expect(`CN=${renewed?.protocol === 'openvpn' && renewed.commonName}`).toBe(
      new X509Certificate(part(reset.file, 'cert')).subject,
    );
    await api.deleteConfig({ params });
    await node.sync();
    expect(node.removed).toContain(data.config.id);
  });

  test('over TCP as well: the node hears of it at once, and files name it while the node serves it', async () => {
    const { api } = await world.user();
    const set = (website: string | null) => setTcpWebsite(world.deps, { actor, nodeId: node.id, website });
    await node.settle();
    const waiting = node.sync(20);
    expect(await set('www.example.org')).toBe('www.example.org:443');
    expect(await waiting).toMatchObject({ kind: 'delta' });
    expect(node.settings?.openvpn?.tcp).toEqual({
      ...{ port: 443, address4: '10.67.0.1/16', address6: 'fd72:6168:6103::1/64' },
      ...{ resolvers: ['10.67.0.1', 'fd72:6168:6103::1'], website: 'www.example.org:443' },
    });
    const fileNow = async (name: string) => (await api.createConfig({ body: { ...order(node.id), name } })).data.file;
    expect(await fileNow('before')).toContain('\nproto udp\nremote ');
    const serving = { protocols: node.protocols, load: 0.1, tunnelsUp: true, unmeteredUpperBoundBytes: 0 };
    await node.report([], { health: { ...serving, agentVersion: 'fake', openvpnTcp: true } });
    const lines = (await fileNow('serving')).split('\n');
    expect(lines.filter((line) => line.startsWith('remote '))).toEqual([
      'remote 198.51.100.2 1194 udp',
      'remote 198.51.100.2 443 tcp-client',
    ]);
    // Of an agent that does not serve it, or not any more.
    await node.report([]);
    expect(await fileNow('after')).not.toContain(' tcp');
    await set(null);
    await node.sync();
    expect(node.settings?.openvpn?.tcp).toBeUndefined();
  });

  test.each(['a b', 'www.example.org:99999', 'http://www.example.org', '-x', 'a\nb', '198.51.100.2'])(
    'the website %j is refused',
    async (website) => {
      await expect(setTcpWebsite(world.deps, { actor, nodeId: node.id, website })).rejects.toThrow();
    },
  );

  test('by OpenConnect as well: a certificate with the address, and the panel says so while the node serves it', async () => {
    const { api } = await world.user();
    const set = (port: number | null, udp = true) => setOpenconnect(world.deps, { actor, nodeId: node.id, port, udp });
    await node.settle();
    const waiting = node.sync(20);
    await set(4443);
    expect(await waiting).toMatchObject({ kind: 'delta' });
    await node.sync();
    const own = node.settings?.openvpn;
    expect(own?.openconnect).toMatchObject({
      ...{ port: 4443, udp: true, address4: '10.68.0.1/16', address6: 'fd72:6168:6104::1/64' },
      resolvers: ['10.68.0.1', 'fd72:6168:6104::1'],
    });
    const [certificate, openvpn] = [own?.openconnect?.certificate, own?.certificate].map(
      (pem) => new X509Certificate(pem ?? ''),
    );
    // The same key, so that the node has no other; and OpenVPN's certificate is as it was, so that it goes on.
    expect(certificate?.publicKey.equals(openvpn!.publicKey)).toBe(true);
    expect([certificate?.checkIP('198.51.100.2'), openvpn?.checkIP('198.51.100.2')]).toEqual([
      '198.51.100.2',
      undefined,
    ]);
    expect(certificate?.verify(new X509Certificate(own?.certificateAuthority ?? '').publicKey)).toBe(true);

    const { data } = await api.createConfig({ body: order(node.id) });
    const shown = async () => (await api.getConfig({ params: { id: data.config.id } })).data.config.server.openconnect;
    expect(await shown()).toBeUndefined();
    const serving = { protocols: node.protocols, load: 0.1, tunnelsUp: true, unmeteredUpperBoundBytes: 0 };
    await node.report([], { health: { ...serving, agentVersion: 'fake', openconnect: true } });
    expect(await shown()).toEqual({ host: '198.51.100.2', port: 4443 });
    const offered = async () =>
      (await api.listServers()).data.servers.find(({ id }) => id === node.id)?.openconnect ?? false;
    expect(await offered()).toBe(true);
    const wireguard = await api.createConfig({ body: { name: 'w', serverId: node.id } });
    expect(wireguard.data.config.server.openconnect).toBeUndefined();
    // Of an agent of before it.
    await node.report([]);
    expect([await shown(), await offered()]).toEqual([undefined, false]);
    await set(4443, false);
    await node.sync();
    expect(node.settings?.openvpn?.openconnect?.udp).toBe(false);
    await set(null);
    await node.sync();
    expect(node.settings?.openvpn?.openconnect).toBeUndefined();
    expect(node.settings?.openvpn?.certificate).toBe(own?.certificate);
  });

  test('OpenConnect takes no port of another protocol, and leaves 443 to the website', async () => {
    const set = (port: number | null, udp = true) => setOpenconnect(world.deps, { actor, nodeId: node.id, port, udp });
    const website = (name: string | null) => setTcpWebsite(world.deps, { actor, nodeId: node.id, website: name });
    for (const port of [1194, 51_820, 4500]) await expect(set(port)).rejects.toThrow('another of its protocols');
    await set(1194, false);
    await website('www.example.org');
    await expect(set(443)).rejects.toThrow('another of its protocols');
    await website(null);
    await set(443);
    await expect(website('www.example.org')).rejects.toThrow('move that first');
    await set(null);
  });

  test('OpenConnect comes in by a relay that works, with its name in the certificate, until networks block it', async () => {
    const { api } = await world.user();
    await setOpenconnect(world.deps, { actor, nodeId: node.id, port: 4443, udp: true });
    const serving = { protocols: node.protocols, load: 0.1, tunnelsUp: true, unmeteredUpperBoundBytes: 0 };
    const health = { ...serving, agentVersion: 'fake', openconnect: true };
    await node.report([], { health });
    const { data } = await api.createConfig({ body: order(node.id) });
    const host = async () =>
      (await api.getConfig({ params: { id: data.config.id } })).data.config.server.openconnect?.host;
    const [name, address4] = ['oc-relay', '203.0.113.77'];
    const relay = await addRelay(world.deps, { actor, name, nodeId: node.id, address4 });
    const command = await readRelayCommand(world.deps.db, relay);
    expect([...command.matchAll(/(udp|tcp) dport \{ ([^}]+) \}/g)].map(([, kind, ports]) => [kind, ports])).toEqual([
      ['udp', expect.stringContaining('4443')],
      ['tcp', '443, 4443'],
    ]);
    await node.sync();
    const certificate = new X509Certificate(node.settings?.openvpn?.openconnect?.certificate ?? '');
    expect(certificate.checkIP(address4)).toBe(address4);
    expect(await host()).toBe('198.51.100.2');
    await node.report([], { health, relays: [{ relay: relay.id, family: 4, roundTripMs: 20 }] });
    expect(await host()).toBe(address4);
    const entry = { nodeId: node.id, relayId: relay.id };
    await blockEntry(world.deps, { actor, entry });
    expect(await host()).toBe('198.51.100.2');
    await unblockEntry(world.deps, { actor, entry });
    expect(await host()).toBe(address4);
    // OpenConnect's clients compare the name: one that the certificate does not have is of no use to them.
    await sql`UPDATE node_certificate SET names = '{}' WHERE protocol = 'openconnect'`.execute(world.deps.db);
    expect(await host()).toBe('198.51.100.2');
    await removeRelay(world.deps, { actor, relay });
    await setOpenconnect(world.deps, { actor, nodeId: node.id, port: null, udp: true });
  });

  test('a node that gets its certificate later gets that of OpenConnect with it', async () => {
    const late = await enrolFakeNode(world);
    await setOpenconnect(world.deps, { actor, nodeId: late.id, port: 4443, udp: true });
    await late.serveOpenvpn();
    await late.sync();
    expect(late.settings?.openvpn?.openconnect?.certificate).toContain('BEGIN CERTIFICATE');
  });

  test('a key that is not to be kept is in the first file only', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: { ...order(node.id), keepKey: false } });
    expect(part(data.file, 'key')).toContain('PRIVATE KEY');
    await expect(api.downloadConfig({ params: { id: data.config.id } })).rejects.toMatchObject({
      code: 'private_key_on_device',
    });
  });

  test('a certificate of one node’s certificate authority is not accepted by another node’s', async () => {
    const { api } = await world.user();
    const other = await enrolFakeNode(world);
    await other.serveOpenvpn();
    await other.sync();
    const { data } = await api.createConfig({ body: order(node.id) });
    const device = new X509Certificate(part(data.file, 'cert'));
    expect(device.verify(new X509Certificate(other.settings?.openvpn?.certificateAuthority ?? '').publicKey)).toBe(
      false,
    );
  });

  test('a device that has left is no longer shown as connected', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: order(node.id) });
    const isConnected = async () => (await api.getConfig({ params: { id: data.config.id } })).data.config.connected;
    const sign = { config: data.config.id, handshakeAgeSeconds: 0, pingMs: null };
    await node.report([], { tunnels: [sign] });
    expect(await isConnected()).toBe(true);
    await node.report([], { tunnels: [{ ...sign, disconnected: true }] });
    expect(await isConnected()).toBe(false);
  });

  test('a certificate is renewed in time, for the same key and by the same certificate authority', async () => {
    const own = await node.serveOpenvpn();
    await node.sync();
    const before = node.settings?.openvpn;
    const endsAt = new Date(Date.now() + 100 * 86_400_000);
    await sql`UPDATE node_certificate SET ends_at = ${endsAt} WHERE node_id = ${node.id}`.execute(world.deps.db);
    await node.certify(own);
    await node.sync();
    const after = node.settings?.openvpn;
    expect(after?.certificate).not.toBe(before?.certificate);
    expect(after).toMatchObject({
      certificateAuthority: before?.certificateAuthority,
      tlsCryptKey: before?.tlsCryptKey,
    });
  });
});
