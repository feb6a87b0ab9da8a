import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { OpenvpnIdentity } from '../control/plan.ts';
import { readRunFile, replaceRunFile } from '../platform/run-files.ts';

/** Of one daemon. With a website it serves TCP, and shows that to whatever does not speak OpenVPN. */
export type OpenvpnSettings = Omit<NonNullable<NodeSettings['openvpn']>, 'tcp' | 'openconnect' | 'proxy'> & {
  readonly website?: string;
  /** Devices of this daemon can go on over TCP. */
  readonly hasTcp?: boolean;
};

/** The part of the settings on which the daemon of a transport depends. */
export function settingsFor(transport: 'udp' | 'tcp', settings: NodeSettings['openvpn']): OpenvpnSettings | undefined {
  if (!settings) return undefined;
  const { tcp, openconnect: _, proxy: __, ...udp } = settings;
  return transport === 'udp' ? { ...udp, hasTcp: tcp !== undefined } : tcp && { ...udp, ...tcp };
}

/** A device with its addresses in the network of a daemon. */
export function deviceIn(
  { address4, address6 }: Pick<OpenvpnSettings, 'address4' | 'address6'>,
  device: OpenvpnIdentity,
): OpenvpnIdentity {
  return {
    ...device,
    address4: addressIn(address4, device.address4),
    address6: addressIn(address6, device.address6),
  };
}

/** The inner address at the slot of `address`, in the network of the node's own address (`10.67.0.1/16`, `fd72:…::1/64`). */
export function addressIn(network: string, address: string): string {
  const [own = ''] = network.split('/');
  if (isIPv6(own)) return own.replace(/:[^:]*$/, `:${address.slice(address.lastIndexOf(':') + 1)}`);
  return [...own.split('.').slice(0, 2), ...address.split('.').slice(2)].join('.');
}

/**
 * The files of an OpenVPN daemon, in memory (/run) and private: its configuration, its keys, one file per admitted device,
 * and its management socket. After a boot all of them are written again.
 */
export interface OpenvpnFiles {
  readonly configPath: string;
  readonly socketPath: string;
  /** Writes configuration and keys; returns a hash of all of them. */
  writeServer(settings: OpenvpnSettings, privateKey: string): string;
  /** Hash of the files that the running daemon was started with. */
  readSetup(): string | undefined;
  writeSetup(setup: string): void;
  readPid(): number | undefined;
  listAdmitted(): string[];
  admit(device: Pick<OpenvpnIdentity, 'commonName' | 'address4' | 'address6'>): void;
  refuse(commonName: string): void;
  remove(): void;
}

const COMMON_NAME = /^[0-9a-f]{32}$/;
/** The daemon drops root once it runs. It can read a device's file by name, and list neither files nor keys. */
const [UNPRIVILEGED_DIRECTORY, UNPRIVILEGED_FILE] = [0o711, 0o644];

export function openvpnFiles(interfaceName: string, runDirectory = '/run/raha'): OpenvpnFiles {
  const home = join(runDirectory, interfaceName);
  const [devices, control, keys] = ['devices', 'control', 'keys'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  const makeDirectories = () => {
    for (const directory of [runDirectory, home, devices]) makeDirectory(directory, UNPRIVILEGED_DIRECTORY);
    for (const directory of [control, keys]) makeDirectory(directory, 0o700);
  };
  const [configPath, socketPath] = [join(home, 'server.conf'), join(control, 'management')];
  const [pidPath, setupPath] = [join(control, 'pid'), join(control, 'setup')];

  return {
    configPath,
    socketPath,
    writeServer: (settings, privateKey) => {
      makeDirectories();
      const { certificateAuthority, certificate, tlsCryptKey } = settings;
      const files = {
        'certificate-authority': certificateAuthority,
        certificate,
        'private-key': privateKey,
        'tls-crypt-key': tlsCryptKey,
      };
      const config = serverConfig(settings, { interfaceName, devices, keys, socketPath, pidPath, group: findGroup() });
      for (const [name, content] of Object.entries(files)) replaceRunFile(join(keys, name), content);
      replaceRunFile(configPath, config);
      return createHash('sha256')
        .update(JSON.stringify([config, files]))
        .digest('hex');
    },
    readSetup: () => readRunFile(setupPath),
    writeSetup: (setup) => replaceRunFile(setupPath, setup),
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
      const lines = [`ifconfig-push ${address4} ${NETMASK}`, `ifconfig-ipv6-push ${address6}/64`, ''];
      replaceRunFile(join(devices, commonName), lines.join('\n'), UNPRIVILEGED_FILE);
    },
    refuse: (commonName) => {
      if (COMMON_NAME.test(commonName)) rmSync(join(devices, commonName), { force: true });
    },
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Every inner network of a node is a /16. */
const NETMASK = '255.255.0.0';

interface ServerPaths {
  readonly interfaceName: string;
  readonly devices: string;
  readonly keys: string;
  readonly socketPath: string;
  readonly pidPath: string;
  readonly group: string;
}

function serverConfig(settings: OpenvpnSettings, paths: ServerPaths): string {
  const { interfaceName, devices, keys, socketPath, pidPath, group } = paths;
  const [gateway4] = splitPrefix(settings.address4);
  const [gateway6, prefix6] = splitPrefix(settings.address6);
  const resolvers = settings.resolvers.filter((address) => isIP(address) > 0);
  if (!isIPv4(gateway4) || !isIPv6(gateway6)) throw new Error('the node has no address for OpenVPN');
  return [
    'mode server',
    'tls-server',
    `dev ${interfaceName}`,
    'dev-type tun',
    ...transportLines(settings.website),
    `port ${Number(settings.port)}`,
    'topology subnet',
    `ifconfig ${gateway4} ${NETMASK}`,
    `ifconfig-ipv6 ${gateway6}/${prefix6} ${gateway6}`,
    `ca ${join(keys, 'certificate-authority')}`,
    `cert ${join(keys, 'certificate')}`,
    `key ${join(keys, 'private-key')}`,
    `tls-crypt-v2 ${join(keys, 'tls-crypt-key')}`,
    'dh none',
    'verify-client-cert require',
    'remote-cert-tls client',
    'tls-version-min 1.2',
    'data-ciphers AES-256-GCM:CHACHA20-POLY1305',
    'auth SHA256',
    // A device without a file here is refused, also at a renegotiation.
    `client-config-dir ${devices}`,
    'ccd-exclusive',
    'max-clients 16384',
    ...keepaliveLines(settings),
    // Encapsulated packets must also fit on mobile networks.
    'mssfix 1400 mtu',
    'push "topology subnet"',
    'push "tun-ipv6"',
    `push "route-gateway ${gateway4}"`,
    'push "redirect-gateway def1 ipv6"',
    ...resolvers.map((address) => `push "dhcp-option ${address.includes(':') ? 'DNS6' : 'DNS'} ${address}"`),
    'push "block-outside-dns"',
    `management ${socketPath} unix`,
    `writepid ${pidPath}`,
    'persist-tun',
    'persist-key',
    'user nobody',
    `group ${group}`,
    // No log: the daemon's messages contain addresses of devices.
    'verb 0',
    '',
  ].join('\n');
}

/**
 * After half a minute of silence a device reconnects. One that can go on over TCP does after five seconds. The daemon is never silent for
 * more than one, so that a network that loses a tenth of its packets ends no connection; the device itself sends no more often than before.
 */
function keepaliveLines({ hasTcp }: OpenvpnSettings): string[] {
  if (!hasTcp) return ['keepalive 10 30'];
  return ['ping 1', 'ping-restart 60', 'push "ping 10"', 'push "ping-restart 5"'];
}

/** One socket for both families, if the machine has both. */
function transportLines(website: string | undefined): string[] {
  const families = hasIpv6() ? '6' : '4';
  if (website === undefined)
    return [`proto udp${families}`, 'multihome', 'explicit-exit-notify 1', 'push "explicit-exit-notify 1"'];
  const { hostname, port } = new URL(`tcp://${website}`);
  if (!HOST.test(hostname) || !port) throw new Error('the website has no valid address');
  return [
    `proto tcp${families}-server`,
    'tcp-nodelay',
    'push "socket-flags TCP_NODELAY"',
    // Without a directory as a third word: which connection came from where is written nowhere.
    `port-share ${hostname.replace(/^\[|\]$/g, '')} ${port}`,
  ];
}

/** A name or an address that is one word of a configuration file. */
const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9a-f:]+\])$/;

function splitPrefix(address: string): [string, string] {
  const [host = '', prefix = ''] = address.split('/');
  return [host, String(Number(prefix))];
}

function hasIpv6(): boolean {
  return (readRunFile('/proc/net/if_inet6') ?? '') !== '';
}

/** The unprivileged group: Debian calls it nogroup, others nobody. */
export function findGroup(): string {
  return /^nogroup:/m.test(readRunFile('/etc/group') ?? '') ? 'nogroup' : 'nobody';
}

export function makeDirectory(path: string, mode: number): void {
  mkdirSync(path, { recursive: true, mode });
  // Independent of the umask.
  chmodSync(path, mode);
}
