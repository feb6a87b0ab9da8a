import { expect, test } from 'vitest';
import { tableScript } from '../firewall/table-script.ts';
import type { Shell } from './shell.ts';
import { findUplinks } from './uplinks.ts';

/** A machine with these default routes, as `ip` prints them. */
const machine = (ipv4: string, ipv6: string): Pick<Shell, 'run'> => ({
  run: async (_command, args) => {
    expect(args.slice(-3)).toEqual(['route', 'show', 'default']);
    return args.includes('-6') ? ipv6 : ipv4;
  },
});
const ETH4 = 'default via 192.0.2.1 dev eth0 proto dhcp metric 100\n';
const ETH6 = 'default via fe80::1 dev eth0 proto ra metric 1024 expires 1795sec pref medium\n';
const TUNNEL6 = 'default via 2001:db8:a::1 dev sit1 metric 1024 pref medium\n';
const MANY6 =
  'default proto static metric 1024 pref medium\n\tnexthop via fe80::1 dev eth1 weight 1\n\tnexthop via fe80::2 dev eth2 weight 1\n';
const REJECTED6 = 'unreachable default dev lo metric 4294967295 error -101 pref medium\n';

test.each([
  ['both families by one device', ETH4, ETH6, ['eth0']],
  ['IPv6 by a tunnel of its own', ETH4, TUNNEL6, ['eth0', 'sit1']],
  ['IPv4 only', ETH4, '', ['eth0']],
  ['IPv6 only', '', ETH6, ['eth0']],
  ['a second way that is dearer', `${ETH4}default via 10.0.0.1 dev wlan0 metric 600\n`, '', ['eth0']],
  ['several ways for one route', '', MANY6, ['eth1']],
  ['IPv6 that is refused', ETH4, REJECTED6, ['eth0']],
  ['IPv6 that is refused where nothing better is', ETH4, `${REJECTED6}${TUNNEL6}`, ['eth0', 'sit1']],
])('uplinks: %s', async (_what, ipv4, ipv6, uplinks) => {
  expect(await findUplinks(machine(ipv4, ipv6))).toEqual(uplinks);
});

test('a machine without a default route is rejected', async () => {
  await expect(findUplinks(machine('', REJECTED6))).rejects.toThrow('--uplink');
});

test('packets are forwarded and masqueraded on each uplink', () => {
  const services = { address4: '10.64.0.1', address6: 'fd72:6168:6100::1', hasResolver: false };
  const options = { table: 't', interfaceNames: ['raha0'], uplinks: ['eth0', 'sit1'], markOf: (slot: number) => slot };
  const rules = tableScript({ ...options, services, newFlows: { allowsSmtp: false } }, 'e1', []).split('\n');
  const of = (chain: string) => rules.filter((rule) => rule.startsWith(`add rule inet t ${chain} `)).join('\n');
  expect(of('raha_forward')).toContain('iifname { "raha0" } goto raha_from_device');
  expect(of('raha_from_device')).toContain('oifname { "eth0", "sit1" } goto raha_meter_up');
  expect(of('raha_forward')).toContain('oifname { "raha0" } goto raha_to_device');
  expect(of('raha_to_device')).toContain('iifname { "eth0", "sit1" } ct state');
  expect(of('raha_masquerade')).toContain('oifname { "eth0", "sit1" } masquerade');
});
