import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Protocol } from '@raha/contract/protocols.ts';
import { addresses, type Network } from './network.ts';
import { openconnect } from './openconnect-client.ts';
import { must, pause, type Running, root, run, start, until } from './processes.ts';

/** A protocol's own client program, in the client's namespace. */
export interface Client {
  readonly interfaceName: string;
  up(file: string): Promise<void>;
  down(): Promise<void>;
  /** Number of key exchanges with the node since it was started. */
  handshakes(): Promise<number>;
  isRunning(): Promise<boolean>;
}

/** A protocol, or a further way of its configs that has a client of its own. */
export type ClientKind = Protocol | 'openconnect';

export function createClient(network: Network, directory: string, kind: ClientKind, beside: boolean): Client {
  mkdirSync(directory, { recursive: true });
  if (kind === 'wireguard' && !beside) return wgQuick(network, directory);
  if (kind === 'openvpn') return openvpn(network, directory, beside);
  if (kind === 'ikev2') return strongswan(network, join(directory, 'ikev2'), beside);
  if (kind === 'openconnect' && !beside) return openconnect(network, directory);
  throw new Error(`there is no client for ${kind}`);
}

function wgQuick(network: Network, directory: string): Client {
  const name = `rc${network.id}`;
  const path = join(directory, `${name}.conf`);
  const environment = {
    ...process.env,
    PATH: `${join(root, 'e2e/shim')}:${process.env.PATH ?? ''}:/usr/sbin:/sbin`,
    WG_QUICK_USERSPACE_IMPLEMENTATION: 'wireguard-go',
    // wireguard-go warns that the kernel has a better WireGuard than itself.
    WG_I_PREFER_BUGGY_USERSPACE_TO_POLISHED_KMOD: '1',
  };
  const inside = (...args: string[]) => ['netns', 'exec', network.client, ...args];
  return {
    interfaceName: name,
    up: async (file) => {
      writeFileSync(path, file, { mode: 0o600 });
      await must('ip', inside('wg-quick', 'up', path), { env: environment });
    },
    down: async () => {
      await run('ip', inside('wg-quick', 'down', path), { env: environment });
    },
    // The tool shows only the time of the last one.
    handshakes: async () => {
      const { stdout } = await run('ip', inside('wg', 'show', name, 'latest-handshakes'), { env: environment });
      return Number(stdout.trim().split(/\s+/)[1] ?? 0) > 0 ? 1 : 0;
    },
    isRunning: async () => (await run('ip', inside('wg', 'show', name), { env: environment })).code === 0,
  };
}

const REFUSED = /AUTH_FAILED|TLS Error: TLS handshake failed/;
const CONNECTED = /Initialization Sequence Completed/;

/** Uses the downloaded profile; the additions concern only the namespace and the interval of key changes. */
function openvpn(network: Network, directory: string, beside: boolean): Client {
  const name = `rc${network.id}ov`;
  const path = join(directory, `${name}.ovpn`);
  let running: Running | undefined;
  const isRunning = () => running?.child.exitCode === null && running.child.signalCode === null;
  return {
    interfaceName: name,
    up: async (file) => {
      writeFileSync(path, file, { mode: 0o600 });
      const own = [
        ...(beside ? ['--route-nopull'] : []),
        '--dev',
        name,
        '--dev-type',
        'tun',
        '--verb',
        '3',
        '--reneg-sec',
        '6',
      ];
      const command = ['netns', 'exec', network.client, 'openvpn', '--config', path, ...own];
      if (beside) await routeOutside(network);
      running = start('ip', command, { logFile: join(directory, 'openvpn-client.log') });
      await running.waitFor(new RegExp(`${CONNECTED.source}|${REFUSED.source}`), 30_000);
      if (beside) await routeInside(network, name, '77');
    },
    down: async () => {
      await running?.kill('SIGTERM');
      while (isRunning()) await pause(20);
    },
    handshakes: async () => {
      const output = running?.output() ?? '';
      return CONNECTED.test(output) ? output.split('Control Channel: TLS').length - 1 : 0;
    },
    isRunning: async () => isRunning(),
  };
}

/** charon and swanctl with the settings of the profile for Apple's systems, and a shorter interval of key changes. */
function strongswan(network: Network, directory: string, beside: boolean): Client {
  const name = 'ipsec0';
  const [configPath, pidPath] = [join(directory, 'strongswan.conf'), join(directory, 'pid')];
  const socket = `unix://${join(directory, 'vici')}`;
  const environment = { ...process.env, STRONGSWAN_CONF: configPath, SWANCTL_DIR: directory };
  let running: Running | undefined;
  const swanctl = (...args: string[]) => run('swanctl', [...args, '--uri', socket], { env: environment });
  /** Without it, pages are fetched past the tunnel. */
  const hasRoute = async () =>
    (await run('ip', ['-n', network.client, 'route', 'show', 'table', beside ? '78' : '220'])).stdout !== '';
  const listSas = async () => (await swanctl('--list-sas')).stdout;
  const end = async () => {
    await running?.kill('SIGTERM');
    running = undefined;
  };
  return {
    interfaceName: name,
    up: async (file) => {
      await end();
      for (const part of ['', 'x509ca']) mkdirSync(join(directory, part), { recursive: true });
      const profile = readProfile(file);
      const authority = `-----BEGIN CERTIFICATE-----\n${profile.authority}\n-----END CERTIFICATE-----\n`;
      writeFileSync(join(directory, 'x509ca', 'authority.pem'), authority);
      writeFileSync(join(directory, 'swanctl.conf'), connection(profile), { mode: 0o600 });
      writeFileSync(configPath, charonConfig(socket, beside));
      writeFileSync(pidPath, '');
      if (beside) await routeOutside(network);
      // No duplicate address detection: the addresses are usable at once.
      await must('ip', ['netns', 'exec', network.client, 'sysctl', '-qw', 'net.ipv6.conf.default.accept_dad=0']);
      // The path of the daemon's pid file is fixed, and the node's daemon uses it, too.
      const script = 'touch /run/charon.pid && mount --bind "$1" /run/charon.pid && exec /usr/lib/ipsec/charon';
      const command = ['netns', 'exec', network.client, 'unshare', '--mount', 'sh', '-c', script, 'sh', pidPath];
      running = start('ip', command, { env: environment, logFile: join(directory, 'charon.log') });
      await until('charon', async () => (await swanctl('--load-all', '--noprompt')).code === 0);
      const { code, stdout } = await swanctl('--initiate', '--child', 'all', '--timeout', '20');
      // Some tests expect that; in the others this says why the next step fails.
      if (code !== 0) console.log(`IKEv2 is not up:\n${stdout.split('\n').slice(-4).join('\n')}`);
      else if (!(await hasRoute())) console.log('IKEv2 is up without a route into its tunnel');
      if (beside) await routeInside(network, name, '78');
    },
    down: end,
    // Every key change gives the tunnel another number.
    handshakes: async () => Number(/^ {2}all: #(\d+),/m.exec(await listSas())?.[1] ?? 0),
    isRunning: async () => (await listSas()).includes('ESTABLISHED'),
  };
}

function readProfile(file: string) {
  const read = (key: string) => {
    const value = new RegExp(`<key>${key}</key>\\s*<(?:string|data)>([^<]+)<`).exec(file)?.[1];
    if (!value) throw new Error(`the profile has no ${key}`);
    return value;
  };
  return {
    address: read('RemoteAddress'),
    serverName: read('RemoteIdentifier'),
    userName: read('AuthName'),
    password: read('AuthPassword'),
    authority: read('PayloadContent'),
  };
}

function connection({ address, serverName, userName, password }: ReturnType<typeof readProfile>): string {
  return `connections {
    raha {
      version = 2
      remote_addrs = ${address}
      vips = 0.0.0.0, ::
      encap = yes
      proposals = aes256gcm16-prfsha384-ecp384
      local {
        auth = eap-mschapv2
        eap_id = ${userName}
      }
      remote {
        auth = pubkey
        id = ${serverName}
      }
      children {
        all {
          remote_ts = 0.0.0.0/0, ::/0
          esp_proposals = aes256gcm16-ecp384
          rekey_time = 6s
          life_time = 10m
          rand_time = 0s
        }
      }
    }
  }
  secrets {
    eap-raha {
      id = ${userName}
      secret = "${password}"
    }
  }
`;
}

/** Beside other tunnels its routes go to a table that is not used. */
function charonConfig(socket: string, beside: boolean): string {
  const plugins =
    'random nonce openssl drbg kdf pem pkcs1 pkcs8 x509 pubkey constraints kernel-libipsec kernel-netlink socket-default vici eap-identity eap-mschapv2';
  return `charon {
    load_modular = no
    load = ${plugins}
    ${beside ? 'routing_table = 78\n    routing_table_prio = 40000' : ''}
    syslog {
      daemon { default = -1 }
      auth { default = -1 }
    }
    filelog {
      stdout { default = 1 }
    }
    plugins {
      vici { socket = ${socket} }
      kernel-libipsec { allow_peer_ts = yes }
      ${beside ? '' : 'kernel-netlink { fwmark = !0x42 }\n      socket-default { fwmark = 0x42 }'}
    }
  }
`;
}

/** The client's own packets bypass the other tunnel. */
async function routeOutside(network: Network): Promise<void> {
  await must('ip', ['-n', network.client, ...`route replace ${addresses.node4}/32 via 203.0.113.1`.split(' ')]);
}

/** Only sockets bound to the interface use it. */
async function routeInside(network: Network, interfaceName: string, table: string): Promise<void> {
  for (const words of [
    `route replace default dev ${interfaceName} table ${table}`,
    `rule add oif ${interfaceName} lookup ${table}`,
  ]) {
    await must('ip', ['-n', network.client, ...words.split(' ')]);
  }
}
