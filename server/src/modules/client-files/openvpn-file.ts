export interface OpenvpnFile {
  /** In the order in which a device tries them. */
  readonly hosts: readonly [string, ...string[]];
  readonly endpointPort: number;
  /** Where the node serves OpenVPN over TCP as well; undefined: it does not. */
  readonly tcpPort?: number | undefined;
  /** The name in the node's certificate. */
  readonly serverName: string;
  readonly certificateAuthority: string;
  readonly certificate: string;
  readonly privateKey: string;
  readonly tlsCryptKey: string;
}

/**
 * A profile in one file, for OpenVPN 2.5 and newer and OpenVPN Connect 3. Routes, addresses and name servers come from
 * the node. It contains nothing that acts on the device (scripts, logs).
 */
export function openvpnFile(file: OpenvpnFile): string {
  const inline = (name: string, content: string) => [`<${name}>`, content.trim(), `</${name}>`];
  return [
    'client',
    'dev tun',
    ...remoteLines(file),
    'nobind',
    // The routes stay while reconnecting, so that no traffic bypasses the tunnel meanwhile.
    'persist-tun',
    'resolv-retry infinite',
    // With a second way the next one is tried at once; after five rounds in vain clients wait by themselves, up to five seconds.
    `connect-retry ${file.tcpPort === undefined ? 1 : 0} 5`,
    `server-poll-timeout ${secondsToAnswer(file)}`,
    // TCP says goodbye by itself; where both are tried, the node asks for it over UDP.
    ...(file.tcpPort === undefined ? ['explicit-exit-notify 1'] : []),
    'remote-cert-tls server',
    `verify-x509-name ${file.serverName} name`,
    'tls-version-min 1.2',
    'data-ciphers AES-256-GCM:CHACHA20-POLY1305',
    'auth SHA256',
    'verb 1',
    ...inline('ca', file.certificateAuthority),
    ...inline('cert', file.certificate),
    ...inline('key', file.privateKey),
    ...inline('tls-crypt-v2', file.tlsCryptKey),
    '',
  ].join('\n');
}

/**
 * How long a client waits for the first answer before it tries the next remote. A distant node over a poor network may answer late; with a
 * second way it is better to try that soon. When UDP dies, a client tries it once more before TCP.
 */
function secondsToAnswer({ hosts, tcpPort }: OpenvpnFile): number {
  if (tcpPort !== undefined) return 3;
  return hosts.length > 1 ? 5 : 10;
}

/** In the order in which a client tries them, over and over until one answers: UDP and TCP at each host. */
function remoteLines({ hosts, endpointPort, tcpPort }: OpenvpnFile): string[] {
  const familyOf = (host: string) => (host.includes(':') ? '6' : '');
  const [first] = hosts;
  if (tcpPort === undefined && hosts.length === 1)
    return [`proto udp${familyOf(first)}`, `remote ${first} ${endpointPort}`];
  return hosts.flatMap((host) => [
    `remote ${host} ${endpointPort} udp${familyOf(host)}`,
    ...(tcpPort === undefined ? [] : [`remote ${host} ${tcpPort} tcp${familyOf(host)}-client`]),
  ]);
}
