export const protocols = ['wireguard', 'openvpn', 'ikev2'] as const;
export type Protocol = (typeof protocols)[number];
