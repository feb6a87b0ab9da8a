import type { Protocol } from '@raha/contract/protocols.ts';

const names: Record<Protocol, string> = { wireguard: 'WireGuard', openvpn: 'OpenVPN', ikev2: 'IKEv2' };

export function ProtocolName({ protocol }: { protocol: Protocol }) {
  return <bdi dir="ltr">{names[protocol]}</bdi>;
}
