import { type NodeServices, PORTS } from '../firewall/service-chains.ts';

export interface ResolverConfigOptions {
  readonly home: string;
  readonly services: NodeServices;
  /** Resolvers to use instead of the root servers, `address` or `address@port`. Their answers are not validated. */
  readonly forwarders: readonly string[];
  /** File with the root's DNSSEC key, if the machine has it: answers are then validated. */
  readonly rootKey: string | undefined;
}

/** Addresses that no public name should have: a page must not reach the device's local network by name (DNS rebinding). */
const PRIVATE = [
  '10.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
  'fe80::/10',
];

/**
 * The configuration of unbound (1.17 or newer, for `interface-view`). It listens on two ports of the node's inner
 * addresses: one answers everything, the other blocks the names of the block list. It logs and counts no queries.
 */
export function resolverConfig(options: ResolverConfigOptions, blockedNames: readonly string[]): string {
  const { home, services, forwarders, rootKey } = options;
  const addresses = [services.address4, services.address6];
  const ports = [PORTS.resolver, PORTS.filteringResolver];
  const listeners = addresses.flatMap((address) => ports.map((port) => `${address}@${port}`));
  const filtering = addresses.map((address) => `${address}@${PORTS.filteringResolver}`);
  const validates = forwarders.length === 0 && rootKey !== undefined;
  return [
    'server:',
    `  directory: "${home}"`,
    `  pidfile: "${home}/pid"`,
    '  chroot: ""',
    '  username: "nobody"',
    '  use-syslog: no',
    '  verbosity: 0',
    '  log-queries: no',
    '  log-replies: no',
    '  log-local-actions: no',
    '  log-servfail: no',
    '  extended-statistics: no',
    // The tunnels' interfaces may appear later, disappear and come back.
    '  ip-freebind: yes',
    ...listeners.map((listener) => `  interface: ${listener}`),
    // The firewall has already decided who may query.
    ...listeners.map((listener) => `  interface-action: ${listener} allow`),
    ...filtering.map((listener) => `  interface-view: ${listener} filtering`),
    `  module-config: "${validates ? 'validator iterator' : 'iterator'}"`,
    ...(validates ? [`  trust-anchor-file: "${rootKey}"`] : []),
    '  hide-identity: yes',
    '  hide-version: yes',
    '  minimal-responses: yes',
    '  qname-minimisation: yes',
    '  prefetch: yes',
    '  edns-buffer-size: 1232',
    '  max-udp-size: 1232',
    '  num-threads: 2',
    '  msg-cache-size: 32m',
    '  rrset-cache-size: 64m',
    ...PRIVATE.map((network) => `  private-address: ${network}`),
    // Names that unbound answers itself by default would count as blocked.
    ...['localhost.', '127.in-addr.arpa.'].map((zone) => `  local-zone: "${zone}" nodefault`),
    'remote-control:',
    '  control-enable: no',
    'view:',
    '  name: "filtering"',
    '  view-first: yes',
    ...blockedNames.map((name) => `  local-zone: "${name}." always_null`),
    ...(forwarders.length > 0
      ? ['forward-zone:', '  name: "."', ...forwarders.map((at) => `  forward-addr: ${at}`)]
      : []),
    '',
  ].join('\n');
}
