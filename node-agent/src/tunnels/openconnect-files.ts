import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { OpenvpnIdentity } from '../control/plan.ts';
import { readRunFile, replaceRunFile } from '../platform/run-files.ts';
import { addressIn, findGroup, makeDirectory } from './openvpn-files.ts';

export type OpenconnectSettings = NonNullable<NonNullable<NodeSettings['openvpn']>['openconnect']> & {
  readonly certificateAuthority: string;
};

export function openconnectSettings({ openvpn }: NodeSettings): OpenconnectSettings | undefined {
  if (!openvpn?.openconnect) return undefined;
  return { ...openvpn.openconnect, certificateAuthority: openvpn.certificateAuthority };
}

/** What the running daemon was started with; `keys` can change while it runs. */
export interface OpenconnectSetup {
  readonly config: string;
  readonly keys: string;
}

/**
 * The files of ocserv, in memory (/run) and private: its configuration, its keys, one file per admitted device, and its sockets.
 * After a boot all of them are written again.
 */
export interface OpenconnectFiles {
  readonly configPath: string;
  readonly scriptPath: string;
  readonly commandSocketPath: string;
  /** Writes configuration, keys and the script that lets devices in; returns a hash of each. */
  writeServer(settings: OpenconnectSettings, privateKey: string): OpenconnectSetup;
  readSetup(): OpenconnectSetup | undefined;
  writeSetup(setup: OpenconnectSetup): void;
  readPid(): number | undefined;
  listAdmitted(): string[];
  admit(device: Pick<OpenvpnIdentity, 'commonName' | 'address4' | 'address6'>): void;
  refuse(commonName: string): void;
  remove(): void;
}

const COMMON_NAME = /^[0-9a-f]{32}$/;

/** `scriptDirectory`: where programs may be executed, which Debian does not allow in /run. */
export function openconnectFiles(
  interfaceName: string,
  scriptDirectory: string,
  runDirectory = '/run/raha',
): OpenconnectFiles {
  const home = join(runDirectory, interfaceName);
  const [devices, control, keys] = ['devices', 'control', 'keys'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const [configPath, setupPath, pidPath] = [join(home, 'server.conf'), join(home, 'setup'), join(control, 'pid')];
  const [scriptPath, commandSocketPath] = [join(scriptDirectory, `${interfaceName}-connect`), join(control, 'occtl')];
  const makeDirectories = () => {
    // Its unprivileged workers open only sockets that they are given.
    for (const directory of [runDirectory, home, control]) makeDirectory(directory, 0o711);
    for (const directory of [devices, keys]) makeDirectory(directory, 0o700);
  };

  return {
    configPath,
    scriptPath,
    commandSocketPath,
    writeServer: (settings, privateKey) => {
      makeDirectories();
      const { certificateAuthority, certificate } = settings;
      const files = { 'certificate-authority': certificateAuthority, certificate, 'private-key': privateKey };
      const config = serverConfig(settings, { interfaceName, devices, control, keys, scriptPath, commandSocketPath });
      const script = connectScript(devices);
      for (const [name, content] of Object.entries(files)) replaceRunFile(join(keys, name), content);
      replaceRunFile(configPath, config);
      writeFileSync(scriptPath, script, { mode: 0o700 });
      chmodSync(scriptPath, 0o700);
      return { config: hash([config, script]), keys: hash(Object.values(files)) };
    },
    readSetup: () => {
      const text = readRunFile(setupPath);
      return text === undefined ? undefined : (JSON.parse(text) as OpenconnectSetup);
    },
    writeSetup: (setup) => replaceRunFile(setupPath, JSON.stringify(setup)),
    readPid: () => Number(readRunFile(pidPath)) || undefined,
    listAdmitted: () => {
      makeDirectories();
      return readdirSync(devices).filter((name) => COMMON_NAME.test(name));
    },
    admit: ({ commonName, address4, address6 }) => {
      if (!COMMON_NAME.test(commonName) || !isIPv4(address4) || !isIPv6(address6)) {
        throw new Error('this device cannot be let in: its name or address is invalid');
      }
      makeDirectories();
      replaceRunFile(join(devices, commonName), `explicit-ipv4 = ${address4}\nexplicit-ipv6 = ${address6}\n`);
    },
    refuse: (commonName) => {
      if (COMMON_NAME.test(commonName)) rmSync(join(devices, commonName), { force: true });
    },
    remove: () => {
      rmSync(home, { recursive: true, force: true });
      rmSync(scriptPath, { force: true });
    },
  };
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * ocserv runs it at every connection and refuses the device unless it ends well. Without it everybody with a certificate of the
 * node would be let in, those whose config is gone as well. The user's name is that of the certificate.
 */
function connectScript(devices: string): string {
  return `#!/bin/sh\n[ "$REASON" != connect ] || [ -f "${devices}/$USERNAME" ]\n`;
}

interface ServerPaths {
  readonly interfaceName: string;
  readonly devices: string;
  readonly control: string;
  readonly keys: string;
  readonly scriptPath: string;
  readonly commandSocketPath: string;
}

/**
 * Seconds of silence after which either side asks whether the other is there. A client goes over to TCP when UDP has been silent for twice as
 * long. Phones ask as rarely as WireGuard's files let them, for their battery.
 */
const DEAD_PEER_SECONDS = 5;
const DEAD_PHONE_SECONDS = 25;
/** The kernel's names of interfaces have 15 characters, of which ocserv needs five for the number of the device. */
const LONGEST_PREFIX = 10;

/** `ocserv(8)`, for the version of Debian 12 (1.1.6). */
function serverConfig(settings: OpenconnectSettings, paths: ServerPaths): string {
  const { interfaceName, devices, control, keys, scriptPath, commandSocketPath } = paths;
  const [node4 = '', node6 = ''] = [settings.address4, settings.address6].map((address) => address.split('/')[0]);
  const resolvers = settings.resolvers.filter((address) => isIP(address) > 0);
  if (!isIPv4(node4) || !isIPv6(node6)) throw new Error('the node has no address for OpenConnect');
  if (interfaceName.length > LONGEST_PREFIX) throw new Error(`the name ${interfaceName} is too long for OpenConnect`);
  return [
    'auth = "certificate"',
    // The common name.
    'cert-user-oid = 2.5.4.3',
    `ca-cert = ${join(keys, 'certificate-authority')}`,
    `server-cert = ${join(keys, 'certificate')}`,
    `server-key = ${join(keys, 'private-key')}`,
    'tls-priorities = "NORMAL:%SERVER_PRECEDENCE:-VERS-TLS1.0:-VERS-TLS1.1"',
    `tcp-port = ${Number(settings.port)}`,
    ...(settings.udp ? [`udp-port = ${Number(settings.port)}`] : []),
    'run-as-user = nobody',
    `run-as-group = ${findGroup()}`,
    `pid-file = ${join(control, 'pid')}`,
    `socket-file = ${join(control, 'socket')}`,
    'use-occtl = true',
    `occtl-socket-file = ${commandSocketPath}`,
    // The system calls that it would forbid its workers differ by version of the C library.
    'isolate-workers = true',
    'max-clients = 0',
    // A device that lost its network comes back before its old session is missed. The newer session takes the address.
    'max-same-clients = 0',
    // Points are counted per address, which relays and mobile networks share.
    'max-ban-score = 0',
    'rate-limit-ms = 0',
    'auth-timeout = 60',
    'cookie-timeout = 300',
    'deny-roaming = false',
    'keepalive = 300',
    `dpd = ${DEAD_PEER_SECONDS}`,
    `mobile-dpd = ${DEAD_PHONE_SECONDS}`,
    'switch-to-tcp-timeout = 15',
    'rekey-time = 172800',
    'rekey-method = ssl',
    'try-mtu-discovery = true',
    'mtu = 1400',
    'compression = false',
    'cisco-client-compat = true',
    'dtls-legacy = true',
    `device = ${interfaceName}`,
    // Nobody gets an address of these: a device has those of its file. They name the node's end of each tunnel.
    `ipv4-network = ${addressIn(settings.address4, '0.0.255.248')}/29`,
    `ipv6-network = ${addressIn(settings.address6, '::fff8')}/125`,
    'ipv6-subnet-prefix = 128',
    'predictable-ips = true',
    'ping-leases = false',
    ...resolvers.map((address) => `dns = ${address}`),
    'tunnel-all-dns = true',
    'route = default',
    `config-per-user = ${devices}/`,
    `connect-script = ${scriptPath}`,
    'use-utmp = false',
    // No log: the daemon's messages contain addresses of devices.
    'log-level = 0',
    '',
  ].join('\n');
}
