import { isIPv4 } from 'node:net';
import { ENGINE_GATEWAY_HOST, ENGINE_HOST } from '../firewall/slot.ts';
import { addressIn } from './openvpn-files.ts';
import type { ProxySetup } from './proxy-engine.ts';

/** The inbound of users. */
export const INBOUND = 'users';

/** Rules cannot be added while it runs, so they exist beforehand: a user sits on a seat, and what comes from there leaves by the outbound of its name. */
export function seatName(seat: number): string {
  return `u${seat}`;
}

/** The addresses at both ends of the interface: above every slot, so that nobody pays for what has them. */
export function linkAddresses({ network }: Pick<ProxySetup, 'network'>): { engine: string; gateway: string } {
  const [engine, gateway] = [ENGINE_HOST, ENGINE_GATEWAY_HOST].map((host) => addressIn(network, host)) as [
    string,
    string,
  ];
  if (!isIPv4(engine)) throw new Error('the node has no address for the proxy');
  return { engine, gateway };
}

/** What users must not reach, however they name it. The firewall would drop it, but for what is the engine's own. */
const INNER = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'],
  ...['198.18.0.0/15', '224.0.0.0/3'],
  // An outbound sends from one address, which is of IPv4.
  '::/0',
];

export interface V2rayFiles {
  readonly inboundPath: string;
  readonly apiPath: string;
}

/** The configuration, as versions 4 and 5 read it. It names no user, and nothing is logged: messages contain visited addresses. */
export function v2rayConfig(setup: ProxySetup, seats: number, { inboundPath, apiPath }: V2rayFiles): string {
  const { engine, gateway } = linkAddresses(setup);
  const rule = (from: object, outboundTag: string) => ({ type: 'field', ...from, outboundTag });
  return JSON.stringify({
    log: { access: 'none', error: 'none', loglevel: 'none' },
    api: { tag: 'api', services: ['HandlerService', 'StatsService'] },
    stats: {},
    policy: { levels: { 0: { statsUserUplink: true, statsUserDownlink: true } } },
    dns: { tag: 'names', servers: [gateway] },
    inbounds: [
      // A socket of its own, which no user's traffic can reach.
      { tag: 'api', listen: apiPath, protocol: 'dokodemo-door', settings: { address: '127.0.0.1', network: 'unix' } },
      {
        tag: INBOUND,
        listen: inboundPath,
        protocol: 'vless',
        settings: { clients: [], decryption: 'none' },
        streamSettings: { network: 'ws', wsSettings: { path: setup.path } },
      },
    ],
    outbounds: [
      // The first is where everything goes for which there is no other.
      { tag: 'nobody', protocol: 'blackhole' },
      { tag: 'names', protocol: 'freedom', sendThrough: engine },
    ],
    routing: {
      domainStrategy: 'AsIs',
      rules: [
        rule({ inboundTag: ['api'] }, 'api'),
        rule({ inboundTag: ['names'] }, 'names'),
        rule({ ip: INNER }, 'nobody'),
        ...Array.from({ length: seats }, (_, seat) => rule({ user: [seatName(seat)] }, seatName(seat))),
      ],
    },
  });
}
