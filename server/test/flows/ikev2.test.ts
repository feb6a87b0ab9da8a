import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ntHash } from '../../src/platform/nt-hash.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { openTestWorld, type TestWorld } from '../world.ts';

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

const order = (serverId: string, name = 'پروفایل') => ({ name, serverId, protocol: 'ikev2' as const });
/** Reads the value after a key of an Apple profile. */
const readKey = (file: string, key: string) =>
  new RegExp(`<key>${key}</key>\\n<(?:string|data|integer)>([^<]*)<`).exec(file)?.[1] ?? '';
const readKeys = (file: string, key: string) =>
  [...file.matchAll(new RegExp(`<key>${key}</key>\\n<string>([^<]*)<`, 'g'))].map(([, value]) => value);
interface AndroidProfile {
  uuid: string;
  name: string;
  remote: { addr: string; id: string; cert: string };
  local: { eap_id: string; shared_secret: string };
}

describe('IKEv2', () => {
  test('is offered by servers that report serving it, beside the other protocols', async () => {
    const { api } = await world.user();
    const offered = async () => {
      const { data } = await api.listServers();
      return data.servers.find(({ id }) => id === node.id)?.protocols;
    };
    await expect(api.createConfig({ body: order(node.id) })).rejects.toMatchObject({ code: 'protocol_unavailable' });
    await node.serveIkev2();
    expect(await offered()).toEqual(['wireguard', 'ikev2']);
    await node.serveOpenvpn();
    expect(await offered()).toEqual(['wireguard', 'openvpn', 'ikev2']);
  });

  test('the node’s certificate is for its RSA key and names what devices dial, under the certificate authority of all its protocols', async () => {
    const own = await node.serveIkev2();
    const state = await node.sync();
    const { ikev2, openvpn } = node.settings ?? {};
    const authority = new X509Certificate(ikev2?.certificateAuthority ?? '');
    const certificate = new X509Certificate(ikev2?.certificate ?? '');
    expect(openvpn?.certificateAuthority).toBe(ikev2?.certificateAuthority);
    expect(certificate.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')).toBe(own);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.8.2.2']);
    expect(certificate.subjectAltName).toBe(`DNS:${node.id}, IP Address:198.51.100.2, DNS:198.51.100.2`);
    expect(ikev2).toMatchObject({ serverName: node.id, address4: '10.66.0.1/16' });
    expect(JSON.stringify(state)).not.toContain('PRIVATE KEY');

    // Repeating it changes nothing; a new address of the machine does.
    const generation = node.applied;
    await node.certify(own, 'ikev2');
    await node.sync();
    expect(node.applied).toBe(generation);
    await sql`UPDATE node SET address = 'de1.example.com' WHERE id = ${node.id}`.execute(world.deps.db);
    await node.certify(own, 'ikev2');
    await node.sync();
    expect(new X509Certificate(node.settings?.ikev2?.certificate ?? '').subjectAltName).toBe(
      `DNS:${node.id}, DNS:de1.example.com`,
    );
    await sql`UPDATE node SET address = '198.51.100.2' WHERE id = ${node.id}`.execute(world.deps.db);
    await node.certify(own, 'ikev2');
  });

  test('a key of another kind, or too small a one, is not certified', async () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const curved = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;
    for (const key of [small, curved]) {
      const own = key.export({ type: 'spki', format: 'der' }).toString('base64');
      await expect(node.certify(own, 'ikev2')).rejects.toMatchObject({ status: 422 });
    }
    await expect(node.certify('AAAA', 'ikev2')).rejects.toMatchObject({ status: 422 });
  });

  test('a config is a user name and a password: three files for the device, and only their hash for the node', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: order(node.id) });
    const state = await node.sync();
    const params = { id: data.config.id };
    const [userName, password] = [readKey(data.file, 'AuthName'), readKey(data.file, 'AuthPassword')];
    const peer = node.peers.get(data.config.id);
    expect(peer).toMatchObject({ protocol: 'ikev2', userName, ntHash: ntHash(password), blocked: false });
    expect(peer?.address4).toMatch(/^10\.66\./);
    expect(peer?.address6).toMatch(/^fd72:6168:6102::/);
    expect(JSON.stringify(state)).not.toContain(password);
    expect(password).toMatch(/^[0-9a-z]{24}$/);

    const authority = node.settings?.ikev2?.certificateAuthority ?? '';
    const der = new X509Certificate(authority).raw.toString('base64');
    expect(readKey(data.file, 'RemoteAddress')).toBe('198.51.100.2');
    expect(readKey(data.file, 'RemoteIdentifier')).toBe(node.id);
    expect(readKey(data.file, 'PayloadContent')).toBe(der);
    expect(data.filename).toMatch(/^raha-de-[0-9a-f]{4}\.mobileconfig$/);
    expect(await api.downloadConfig({ params })).toBe(data.file);
    expect(await api.downloadConfig({ params, query: { system: 'apple' } })).toBe(data.file);

    const android = JSON.parse(await api.downloadConfig({ params, query: { system: 'android' } })) as AndroidProfile;
    expect(android).toMatchObject({
      type: 'ikev2-eap',
      remote: { addr: '198.51.100.2', id: node.id, cert: der },
      local: { eap_id: userName, shared_secret: password },
    });
    const windows = await api.downloadConfig({ params, query: { system: 'windows' } });
    for (const [name, value] of Object.entries({ userName, password, server: '198.51.100.2', authority: der })) {
      expect(windows).toContain(`$${name} = '${value}'\r\n`);
    }
    await expect(api.configQr({ params })).rejects.toMatchObject({ status: 404 });
  });

  test('each form has its own content type, and no cache on the way may keep it', async () => {
    const { api, token } = await world.user();
    const { data } = await api.createConfig({ body: order(node.id) });
    const download = (system: string) =>
      fetch(`${world.origin}/api/v1/user/configs/${data.config.id}/download?system=${system}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    for (const [system, type, extension] of [
      ['apple', 'application/x-apple-aspen-config', 'mobileconfig'],
      ['android', 'application/vnd.strongswan.profile; charset=utf-8', 'sswan'],
      ['windows', 'text/plain; charset=utf-8', 'ps1'],
    ] as const) {
      const response = await download(system);
      expect(response.headers.get('content-type')).toBe(type);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('content-disposition')).toMatch(
        new RegExp(`^attachment; filename="raha-de-[0-9a-f]{4}\\.${extension}"$`),
      );
    }
    expect((await download('amiga')).status).toBe(422);
  });

  test('Apple’s form is signed, byte by byte, if the operator has a signing certificate; the others are not', async () => {
    const { api, token } = await world.user();
    const { data } = await api.createConfig({ body: order(node.id) });
    const envelope = Buffer.from([0x30, 0x80, 0xff, 0x00]);
    const deps = world.deps as { signProfile: unknown };
    deps.signProfile = (content: Buffer) => Buffer.concat([envelope, content]);
    try {
      const download = async (system: string) => {
        const response = await fetch(
          `${world.origin}/api/v1/user/configs/${data.config.id}/download?system=${system}`,
          {
            headers: { authorization: `Bearer ${token}` },
          },
        );
        return Buffer.from(await response.arrayBuffer());
      };
      expect((await download('apple')).equals(Buffer.concat([envelope, Buffer.from(data.file)]))).toBe(true);
      expect((await download('android')).subarray(0, 1).toString()).toBe('{');
    } finally {
      deps.signProfile = undefined;
    }
  });

  test('new keys mean another name and password for the same addresses and the same profile', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: order(node.id) });
    await node.settle();
    const params = { id: data.config.id };
    const before = node.peers.get(data.config.id);
    const { data: reset } = await api.resetConfig({ params, body: {} });
    await node.sync();
    const after = node.peers.get(data.config.id);
    for (const key of ['AuthName', 'AuthPassword']) expect(readKey(reset.file, key)).not.toBe(readKey(data.file, key));
    expect(after).toMatchObject({ address4: before?.address4, userName: readKey(reset.file, 'AuthName') });
    // Installing the profile again replaces the old one.
    for (const key of ['PayloadUUID', 'PayloadIdentifier']) {
      expect(readKeys(reset.file, key)).toEqual(readKeys(data.file, key));
      expect(new Set(readKeys(data.file, key)).size).toBe(3);
    }
    await api.deleteConfig({ params });
    await node.sync();
    expect(node.removed).toContain(data.config.id);
  });

  test('a password that is not to be kept is in the first file only; the node can still check it', async () => {
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: { ...order(node.id), keepKey: false } });
    await node.sync();
    expect(node.peers.get(data.config.id)).toMatchObject({ ntHash: ntHash(readKey(data.file, 'AuthPassword')) });
    await expect(api.downloadConfig({ params: { id: data.config.id } })).rejects.toMatchObject({
      code: 'private_key_on_device',
    });
    await expect(
      api.createConfig({ body: { ...order(node.id, 'دیگر'), publicKey: `${'A'.repeat(42)}A=` } }),
    ).rejects.toMatchObject({ code: 'protocol_unavailable' });
  });

  test('the user’s name for a config appears as a name in every form, and nowhere else', async () => {
    const { api } = await world.user();
    const name = `</string><key>x</key>&'"$(calc)‘; rm`;
    const { data } = await api.createConfig({ body: order(node.id, name) });
    const params = { id: data.config.id };
    const shown = data.config.name;
    const escaped = shown.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    expect(data.file).toContain(`<string>Raha ${escaped}</string>`);
    expect(data.file).not.toContain('<key>x</key>');
    const android = JSON.parse(await api.downloadConfig({ params, query: { system: 'android' } })) as AndroidProfile;
    expect(android.name).toBe(`Raha ${shown}`);
    expect(await api.downloadConfig({ params, query: { system: 'windows' } })).not.toContain('calc');
  });

  test("another user's profile is not found, in any form", async () => {
    const { api } = await world.user();
    const stranger = await world.user();
    const { data } = await api.createConfig({ body: order(node.id) });
    for (const system of ['apple', 'android', 'windows'] as const) {
      await expect(
        stranger.api.downloadConfig({ params: { id: data.config.id }, query: { system } }),
      ).rejects.toMatchObject({ status: 404 });
    }
  });
});
