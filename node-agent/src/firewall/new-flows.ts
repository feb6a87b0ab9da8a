import { limits } from '@raha/contract/limits.ts';

/**
 * What a device may begin. Only packets that belong to no established flow pass here, so an established one pays for none
 * of it. What is dropped here comes before the slot's quota: it is neither billed nor counted as dropped by the quota.
 * A flow that is dropped before it has left the node never enters the table of connections, which all configs share.
 */
export interface NewFlowOptions {
  /** True: devices may send mail to port 25, which is otherwise refused. */
  readonly allowsSmtp: boolean;
}

/**
 * Per slot, over both families and all protocols. A household with file sharing has some hundreds to two thousand flows open.
 * The kernel does not count TCP connections that have ended, and keeps them for two more minutes: at this rate, 12,000.
 * Counting walks through the slot's flows, so the rate, which is asked first, bounds processor time as well.
 */
const { open, perSecond, burst } = limits.node.flows;

/**
 * Networks that devices of a public VPN must not reach: the operator's own, metadata of clouds (the address of Azure is a
 * public one), and what is nobody's (RFC 6890, RFC 8215): benchmarking, multicast, reserved, and IPv6 that hides IPv4.
 */
const INNER4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
] as const;
const INNER6 = [
  ...['::', '::1', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
] as const;

/** Slots that have begun flows. The first set forgets a slot that begins none; the second keeps which flows are open. */
export function newFlowSetCommands(table: string): string[] {
  return [
    `add set inet ${table} new_flows { type mark; size 65535; flags dynamic,timeout; timeout 1m; }`,
    `add set inet ${table} open_flows { type mark; size 65535; flags dynamic; }`,
  ];
}

/** `raha_new_flow` is for forwarded packets, `raha_flow_limits` for those to the node itself. Both need the slot's mark. */
export function newFlowChainCommands(table: string, { allowsSmtp }: NewFlowOptions): string[] {
  const rule = (name: string, text: string) => `add rule inet ${table} ${name} ${text}`;
  const smtp = [
    rule('raha_new_flow', 'tcp dport 25 limit rate 200/second reject with tcp reset'),
    rule('raha_new_flow', 'tcp dport 25 drop'),
  ];
  return [
    `add chain inet ${table} raha_flow_limits`,
    // A flow in UDP is new until it is answered. Only its first packet is not confirmed yet.
    rule('raha_flow_limits', 'ct status confirmed return'),
    rule(
      'raha_flow_limits',
      `update @new_flows { meta mark limit rate over ${perSecond}/second burst ${burst} packets } counter drop`,
    ),
    rule('raha_flow_limits', `add @open_flows { meta mark ct count over ${open} } counter drop`),
    `add chain inet ${table} raha_new_flow`,
    rule('raha_new_flow', `ip daddr { ${INNER4.join(', ')} } drop`),
    rule('raha_new_flow', `ip6 daddr { ${INNER6.join(', ')} } drop`),
    // It would leave with its inner address, because the kernel translates only what it can track.
    rule('raha_new_flow', 'ct state invalid drop'),
    ...(allowsSmtp ? [] : smtp),
    rule('raha_new_flow', 'ct state new goto raha_flow_limits'),
  ];
}
