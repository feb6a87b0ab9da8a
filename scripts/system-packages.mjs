import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';

const ipsec = '/usr/lib/ipsec';
/** Debian packages and the command, or the file, by which each is known to be there. */
export const dataPlanePackages = {
  'wireguard-tools': 'wg',
  'wireguard-go': 'wireguard-go',
  openvpn: 'openvpn',
  ocserv: 'ocserv',
  'strongswan-charon': `${ipsec}/charon`,
  'strongswan-swanctl': 'swanctl',
  'libstrongswan-standard-plugins': `${ipsec}/plugins/libstrongswan-openssl.so`,
  'libcharon-extauth-plugins': `${ipsec}/plugins/libstrongswan-eap-mschapv2.so`,
  'libcharon-extra-plugins': `${ipsec}/plugins/libstrongswan-kernel-libipsec.so`,
  nftables: 'nft',
  conntrack: 'conntrack',
  unbound: 'unbound',
  iproute2: 'ip',
  'iputils-ping': 'ping',
};
export const testPackages = {
  ...dataPlanePackages,
  openconnect: 'openconnect',
  v2ray: 'v2ray',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
  hledger: 'hledger',
  strace: 'strace',
  faketime: 'faketime',
  curl: 'curl',
  openssl: 'openssl',
  systemd: 'systemd-analyze',
  bind9: 'named',
  'bind9-dnsutils': 'nsupdate',
  iperf3: 'iperf3',
  prometheus: 'promtool',
  postgresql: '/usr/lib/postgresql',
  pgbouncer: '/usr/sbin/pgbouncer',
};

/** For `npm run test:failover` alone. */
export const failoverPackages = {
  patroni: 'patroni',
  'etcd-server': 'etcd',
  haproxy: 'haproxy',
  postgresql: '/usr/lib/postgresql',
  iproute2: 'ip',
};

/**
 * Installs what is missing where that is possible: on Debian, as root. Answers with the packages that are still
 * missing and says in one line what it did or what to do.
 */
export function ensureSystemPackages(wanted, say = console.error) {
  const missing = missingOf(wanted);
  if (missing.length === 0) return [];
  const command = `apt-get install -y --no-install-recommends ${missing.join(' ')}`;
  if (!existsSync('/etc/debian_version') || process.getuid?.() !== 0) {
    say(`Missing system packages: ${missing.join(', ')}. On Debian, as root: ${command}`);
    return missing;
  }
  say(`Installing system packages: ${missing.join(', ')} …`);
  // A fresh machine has no package lists, an old one has stale ones.
  if (!apt('install', '-y', '--no-install-recommends', ...missing)) {
    apt('update');
    apt('install', '-y', '--no-install-recommends', ...missing);
  }
  // The agent starts the daemon by itself, and tests need only a tool of the monitoring; the packages' services would hold ports.
  for (const [name, service] of Object.entries({
    'strongswan-charon': 'strongswan-starter',
    ocserv: 'ocserv',
    v2ray: 'v2ray',
    prometheus: 'prometheus',
    bind9: 'named',
    postgresql: 'postgresql',
    pgbouncer: 'pgbouncer',
    patroni: 'patroni',
    'etcd-server': 'etcd',
    haproxy: 'haproxy',
  })) {
    if (missing.includes(name) && existsSync('/run/systemd/system'))
      spawnSync('systemctl', ['disable', '--now', service], { stdio: 'ignore' });
  }
  const left = missingOf(wanted);
  if (left.length > 0) say(`Could not install: ${left.join(', ')}. By hand, as root: apt-get update && ${command}`);
  return left;
}

export function findCommand(name) {
  const directories = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/sbin', '/usr/bin', '/bin'];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

function missingOf(wanted) {
  return Object.entries(wanted)
    .filter(([, command]) => !(command.startsWith('/') ? existsSync(command) : findCommand(command)))
    .map(([name]) => name);
}

function apt(...args) {
  const { status } = spawnSync('apt-get', ['-q', ...args], {
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
