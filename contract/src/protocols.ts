export const protocols = ['wireguard', 'openvpn', 'ikev2'] as const;
export type Protocol = (typeof protocols)[number];

/** Ways by which a device reaches a node. OpenVPN has two, which one file names, OpenConnect with a file of its own, and the proxy with a link. */
export const transports = ['wireguard', 'openvpn', 'openvpn_tcp', 'ikev2', 'openconnect', 'proxy'] as const;
export type Transport = (typeof transports)[number];
