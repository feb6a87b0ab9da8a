import { PORTS, type Services } from '../firewall/slot-policies.ts';

export interface ResolverPlace {
  readonly home: string;
  readonly services: Services;
  /** Resolvers to ask instead of the root servers, `address` or `address@port`; they are believed. */
  readonly forwarders: readonly string[];
  /** The root's key, where the machine has it: answers are then validated. */
  readonly rootKey: string | undefined;
}

/** Addresses that a name of the public internet never has: a page must not reach the device's neighbours by name. */
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
 * The configuration of unbound (1.17 and newer, for `interface-view`). Two ports on the node's inner address: one that
 * answers everything, one that keeps the names of the block list to itself. Nothing is logged, no question is counted.
 */
export function resolverConfig(place: ResolverPlace, blockedNames: readonly string[]): string {
  const { home, services, forwarders, rootKey } = place;
  const addresses = [services.address4, services.address6];
  const ports = [PORTS.names, PORTS.screenedNames];
  const doors = addresses.flatMap((address) => ports.map((port) => `${address}@${port}`));
  const screened = addresses.map((address) => `${address}@${PORTS.screenedNames}`);
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
    // The tunnels' interfaces come later, and may go and come back.
    '  ip-freebind: yes',
    ...doors.map((door) => `  interface: ${door}`),
    // The firewall has judged who may ask.
    ...doors.map((door) => `  interface-action: ${door} allow`),
    ...screened.map((door) => `  interface-view: ${door} screened`),
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
    // Names that unbound answers itself by default would count as withheld.
    ...['localhost.', '127.in-addr.arpa.'].map((zone) => `  local-zone: "${zone}" nodefault`),
    'remote-control:',
    '  control-enable: no',
    'view:',
    '  name: "screened"',
    '  view-first: yes',
    ...blockedNames.map((name) => `  local-zone: "${name}." always_null`),
    ...(forwarders.length > 0
      ? ['forward-zone:', '  name: "."', ...forwarders.map((at) => `  forward-addr: ${at}`)]
      : []),
    '',
  ].join('\n');
}
