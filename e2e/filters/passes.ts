/**
 * Which way passes which filter, as docs/transports.md says it: a test tries each of them (`e2e/filters/filters.long.kernel.test.ts`), and another
 * one compares this table with the document's.
 */
export const filters = {
  none: 'nothing',
  port: 'UDP 51820',
  wireguard_first: 'WireGuard, by the first packet of a flow',
  wireguard_each: 'WireGuard, by each packet',
  openvpn: 'OpenVPN',
  ikev2: 'IKEv2',
  udp: 'UDP',
  all_but_tcp_443: 'all but TCP 443',
  address: "the server's address",
} as const;
export type Filter = keyof typeof filters;

export const ways = {
  wireguard: 'WireGuard',
  wireguard_port: 'WireGuard at another port',
  wireguard_junk: "WireGuard with AmneziaWG's file",
  openvpn: 'OpenVPN',
  openvpn_tcp: 'OpenVPN over TCP 443',
  ikev2: 'IKEv2',
  openconnect: 'OpenConnect',
  openconnect_udp: 'its faster half over UDP',
  openconnect_443: 'OpenConnect at TCP 443',
  proxy: 'the proxy behind a website at TCP 443',
} as const;
export type Way = keyof typeof ways;

/** `relay`: not directly, but through an entry relay. */
export type Passage = 'yes' | 'no' | 'relay';

const stoppedBy = (stops: readonly Filter[]): Record<Filter, Passage> => {
  const names = Object.keys(filters) as Filter[];
  const passage = (name: Filter): Passage => (name === 'address' ? 'relay' : stops.includes(name) ? 'no' : 'yes');
  return Object.fromEntries(names.map((name) => [name, passage(name)])) as Record<Filter, Passage>;
};

export const passes: Readonly<Record<Way, Readonly<Record<Filter, Passage>>>> = {
  wireguard: stoppedBy(['port', 'wireguard_first', 'wireguard_each', 'udp', 'all_but_tcp_443']),
  wireguard_port: stoppedBy(['wireguard_first', 'wireguard_each', 'udp', 'all_but_tcp_443']),
  wireguard_junk: stoppedBy(['port', 'wireguard_each', 'udp', 'all_but_tcp_443']),
  openvpn: stoppedBy(['openvpn', 'udp', 'all_but_tcp_443']),
  openvpn_tcp: stoppedBy(['openvpn']),
  ikev2: stoppedBy(['ikev2', 'udp', 'all_but_tcp_443']),
  openconnect: stoppedBy(['all_but_tcp_443']),
  openconnect_udp: stoppedBy(['udp', 'all_but_tcp_443']),
  openconnect_443: stoppedBy([]),
  proxy: stoppedBy([]),
};
