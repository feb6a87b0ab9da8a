import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Shell } from '../platform/shell.ts';
import { createOpenconnectDaemon } from './openconnect-daemon.ts';
import { openconnectFiles, openconnectSettings } from './openconnect-files.ts';
import { settingsFor } from './openvpn-files.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'raha-openconnect-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const settings = {
  port: 4443,
  udp: true,
  address4: '10.68.0.1/16',
  address6: 'fd72:6168:6104::1/64',
  resolvers: ['10.68.0.1', 'fd72:6168:6104::1'],
  certificateAuthority: 'AUTHORITY',
  certificate: 'CERTIFICATE',
};
const device = { commonName: 'a'.repeat(32), address4: '10.68.0.2', address6: 'fd72:6168:6104::2' };
const open = (name = 'rw0oc') => openconnectFiles(name, directory, join(directory, 'run'));

test('a device is let in by a file with its name, and refused without it', () => {
  const files = open();
  files.admit(device);
  expect(files.listAdmitted()).toEqual([device.commonName]);
  expect(readFileSync(join(directory, 'run/rw0oc/devices', device.commonName), 'utf8')).toBe(
    'explicit-ipv4 = 10.68.0.2\nexplicit-ipv6 = fd72:6168:6104::2\n',
  );
  files.refuse(device.commonName);
  expect(files.listAdmitted()).toEqual([]);
});

test.each([
  ['a name that leads elsewhere', { commonName: '../../etc/shadow' }],
  ['an address that is a line of its own', { address4: '10.68.0.2\nroute = default' }],
  ['an address of the other family', { address6: '10.68.0.2' }],
])('%s lets nobody in', (_what, more) => {
  const files = open();
  expect(() => files.admit({ ...device, ...more })).toThrow();
  expect(files.listAdmitted()).toEqual([]);
});

test('only root can read keys and devices; other keys and other settings are told apart', () => {
  const files = open();
  const setup = files.writeServer(settings, 'PRIVATE');
  const modeOf = (path: string) => statSync(join(directory, 'run/rw0oc', path)).mode & 0o777;
  expect([modeOf('keys'), modeOf('devices'), modeOf('keys/private-key')]).toEqual([0o700, 0o700, 0o600]);
  expect(files.writeServer(settings, 'PRIVATE')).toEqual(setup);
  const renewed = files.writeServer({ ...settings, certificate: 'RENEWED' }, 'PRIVATE');
  expect([renewed.config === setup.config, renewed.keys === setup.keys]).toEqual([true, false]);
  expect(files.writeServer({ ...settings, port: 4444 }, 'PRIVATE').config).not.toBe(setup.config);
  expect(files.writeServer({ ...settings, udp: false }, 'PRIVATE').config).not.toBe(setup.config);
  files.writeSetup(setup);
  expect(open().readSetup()).toEqual(setup);
  files.remove();
  expect([existsSync(join(directory, 'run/rw0oc')), existsSync(files.scriptPath)]).toEqual([false, false]);
});

test('the daemon logs nothing, bans nobody, and has addresses for nobody without a file', () => {
  const files = open();
  files.writeServer({ ...settings, resolvers: ['10.68.0.1', 'x\nlog-level = 9'] }, 'PRIVATE');
  const lines = readFileSync(files.configPath, 'utf8').split('\n');
  expect(lines.filter((line) => /^(log|use-utmp|max-ban|dns)/.test(line))).toEqual([
    'max-ban-score = 0',
    'dns = 10.68.0.1',
    'use-utmp = false',
    'log-level = 0',
  ]);
  // Above every slot (`addressesPerNode`), and below the end of the network.
  expect(lines).toContain('ipv4-network = 10.68.255.248/29');
  expect(lines).toContain('ipv6-network = fd72:6168:6104::fff8/125');
  expect(lines).toContain(`connect-script = ${files.scriptPath}`);
  files.writeServer({ ...settings, udp: false }, 'PRIVATE');
  expect(readFileSync(files.configPath, 'utf8')).not.toContain('udp-port');
  expect(() => open('averylongname').writeServer(settings, 'PRIVATE')).toThrow('too long');
});

test('what it is told about sessions has no address of a device', async () => {
  const files = open();
  const output = JSON.stringify([{ ID: 7, Username: device.commonName, 'Remote IP': '203.0.113.9', RX: '48' }]);
  const shell = { run: async () => output } as unknown as Shell;
  // Without a process there is nobody, and nobody is asked.
  const daemon = createOpenconnectDaemon(shell, files, { elapsedMs: () => 0 });
  expect(await daemon.listSessions()).toEqual([]);
  await daemon.endSessions([device.commonName]);
});

test('OpenVPN does not depend on its settings', () => {
  const { certificateAuthority, ...openconnect } = settings;
  const openvpn = { port: 1194, certificateAuthority, openconnect } as NonNullable<NodeSettings['openvpn']>;
  expect(settingsFor('udp', openvpn)).toEqual({ port: 1194, certificateAuthority, hasTcp: false });
  expect(openconnectSettings({ openvpn } as NodeSettings)).toEqual(settings);
  expect(openconnectSettings({ openvpn: { ...openvpn, openconnect: undefined } } as NodeSettings)).toBeUndefined();
});
