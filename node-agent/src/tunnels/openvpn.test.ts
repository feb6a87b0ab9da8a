import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenvpnIdentity } from '../control/plan.ts';
import { deviceIn, openvpnFiles, settingsFor } from './openvpn-files.ts';
import { connectManagement } from './openvpn-management.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-openvpn-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const settings = {
  port: 1194,
  address4: '10.65.0.1/16',
  address6: 'fd72:6168:6101::1/64',
  resolvers: ['1.1.1.1', '2606:4700:4700::1111'],
  certificateAuthority: 'AUTHORITY',
  certificate: 'CERTIFICATE',
  tlsCryptKey: 'KEY',
};
const device: OpenvpnIdentity = {
  id: 'one',
  protocol: 'openvpn',
  commonName: 'a'.repeat(32),
  blocked: false,
  address4: '10.65.0.2',
  address6: 'fd72:6168:6101::2',
};

describe('files', () => {
  test('a device is let in by a file with its name, and refused without it', () => {
    const files = openvpnFiles('rw0', directory);
    expect(files.listAdmitted()).toEqual([]);
    files.admit(device);
    expect(files.listAdmitted()).toEqual([device.commonName]);
    expect(readFileSync(join(directory, 'rw0/devices', device.commonName), 'utf8')).toBe(
      'ifconfig-push 10.65.0.2 255.255.0.0\nifconfig-ipv6-push fd72:6168:6101::2/64\n',
    );
    files.refuse(device.commonName);
    expect(files.listAdmitted()).toEqual([]);
  });

  test.each([
    ['a name that leads elsewhere', { commonName: '../../etc/shadow' }],
    ['an address that is a line of its own', { address4: '10.65.0.2\nscript-security 2' }],
    ['an address of the other family', { address6: '10.65.0.2' }],
  ])('%s lets nobody in', (_what, more) => {
    const files = openvpnFiles('rw0', directory);
    expect(() => files.admit({ ...device, ...more })).toThrow();
    files.refuse('../server.conf');
    expect(files.listAdmitted()).toEqual([]);
  });

  test('only root can read keys and socket, and other settings change the hash', () => {
    const files = openvpnFiles('rw0', directory);
    const name = files.writeServer(settings, 'PRIVATE');
    const home = join(directory, 'rw0');
    const modeOf = (path: string) => statSync(join(home, path)).mode & 0o777;
    expect([modeOf('keys'), modeOf('control'), modeOf('devices'), modeOf('keys/private-key')]).toEqual([
      0o700, 0o700, 0o711, 0o600,
    ]);
    expect(files.writeServer(settings, 'PRIVATE')).toBe(name);
    expect(files.writeServer({ ...settings, port: 1195 }, 'PRIVATE')).not.toBe(name);
    expect(files.writeServer(settings, 'ANOTHER')).not.toBe(name);
    files.remove();
    expect(existsSync(home)).toBe(false);
  });

  test('the daemon logs nothing, and invalid name servers are not pushed', () => {
    const files = openvpnFiles('rw0', directory);
    files.writeServer({ ...settings, resolvers: ['1.1.1.1', '"\nverb 9'] }, 'PRIVATE');
    const lines = readFileSync(files.configPath, 'utf8').split('\n');
    expect(lines.filter((line) => /^(verb|log|status|syslog|daemon)/.test(line))).toEqual(['verb 0']);
    expect(lines.filter((line) => line.includes('DNS '))).toEqual(['push "dhcp-option DNS 1.1.1.1"']);
    expect(lines).toContain('ccd-exclusive');
  });
});

describe('over TCP', () => {
  const tcp = {
    port: 443,
    address4: '10.67.0.1/16',
    address6: 'fd72:6168:6103::1/64',
    resolvers: ['10.67.0.1'],
    website: 'www.example.org:443',
  };

  test('a device has the same slot in another network', () => {
    const own = settingsFor('tcp', { ...settings, tcp });
    if (!own) throw new Error('there are no settings');
    expect(deviceIn(own, { ...device, address4: '10.65.3.7', address6: 'fd72:6168:6101::307' })).toMatchObject({
      address4: '10.67.3.7',
      address6: 'fd72:6168:6103::307',
    });
  });

  test('the daemon for UDP knows only whether there is one for TCP', () => {
    expect(settingsFor('udp', { ...settings, tcp })).toEqual({ ...settings, hasTcp: true });
    expect(settingsFor('udp', settings)).toEqual({ ...settings, hasTcp: false });
    expect(settingsFor('tcp', settings)).toBeUndefined();
    expect(settingsFor('tcp', undefined)).toBeUndefined();
  });

  test('what does not speak OpenVPN is shown the website', () => {
    const files = openvpnFiles('rw0', directory);
    files.writeServer({ ...settings, ...tcp }, 'PRIVATE');
    const lines = readFileSync(files.configPath, 'utf8').split('\n');
    expect(lines).toContain('port-share www.example.org 443');
    expect(lines.find((line) => line.startsWith('proto '))).toMatch(/^proto tcp[46]-server$/);
    expect(lines).not.toContain('explicit-exit-notify 1');
  });

  test.each(['www.example.org:443 log', 'a\nverb 9:443', 'www.example.org', ':443', '"a":443'])(
    'the website %j is refused',
    (website) => {
      const files = openvpnFiles('rw0', directory);
      expect(() => files.writeServer({ ...settings, ...tcp, website }, 'PRIVATE')).toThrow();
    },
  );
});

describe('management', () => {
  const HEADER =
    'HEADER\tCLIENT_LIST\tCommon Name\tReal Address\tVirtual Address\tVirtual IPv6 Address\tBytes Received\tBytes Sent\tConnected Since\tConnected Since (time_t)\tUsername\tClient ID';
  const row = (name: string, id: number, bytes: number) =>
    `CLIENT_LIST\t${name}\t203.0.113.9:1\t10.65.0.2\t\t${bytes}\t0\tnow\t0\tUNDEF\t${id}`;
  const STATUS = [HEADER, row('one', 0, 700), row('two', 1, 5), 'GLOBAL_STATS\tx', 'END', ''].join('\r\n');
  let commands: string[];
  let server: Server;

  /** Responds like a daemon with two devices, with a notification in between. */
  async function daemon(): Promise<string> {
    commands = [];
    server = createServer((socket) => {
      socket.write('>INFO:OpenVPN Management Interface Version 5\r\n');
      socket.on('error', () => {});
      socket.on('data', (data) => {
        for (const command of data.toString().split('\n').filter(Boolean)) {
          commands.push(command);
          if (command === 'status 3') socket.write(`>CLIENT:ESTABLISHED,0 203.0.113.9\r\n${STATUS}`);
          else socket.write(command === 'kill two' ? 'ERROR: common name not found\r\n' : 'SUCCESS: done\r\n');
        }
      });
    });
    const path = join(directory, 'management');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    return path;
  }
  afterEach(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  test('lists devices by their names, without their network addresses', async () => {
    const management = await connectManagement(await daemon(), () => {});
    const sessions = await management.listSessions();
    expect(sessions).toEqual([
      { commonName: 'one', clientId: '0', receivedBytes: 700 },
      { commonName: 'two', clientId: '1', receivedBytes: 5 },
    ]);
    management.end();
  });

  test('notifies connected devices and ends their sessions; one that has disconnected is no error, others are left alone', async () => {
    const management = await connectManagement(await daemon(), () => {});
    expect(await management.requestDisconnect(['two', 'three'])).toEqual(['two']);
    await management.endSessions(['two']);
    expect(commands).toEqual(['status 3', 'client-kill 1 HALT', 'kill two']);
    management.end();
  });

  test('reports a connection that the daemon closes, not one that we close', async () => {
    const path = await daemon();
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    let lost = 0;
    const count = () => {
      lost += 1;
    };
    (await connectManagement(path, count)).end();
    const other = await connectManagement(path, count);
    sockets[1]?.destroy();
    await expect(other.listSessions()).rejects.toThrow('closed the connection');
    expect([lost, other.isOpen()]).toEqual([1, false]);
  });
});
