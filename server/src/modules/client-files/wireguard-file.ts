import { generateKeyPairSync } from 'node:crypto';
import { newBytes } from '../../platform/random.ts';
import { address4Of, address6Of, resolversOf } from '../fleet/rules.ts';

/** A WireGuard key pair in base64, as `wg genkey` and `wg pubkey` produce it (X25519, RFC 7748). */
export function newKeyPair(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d as string, 'base64url');
  // Clamped in advance (RFC 7748 section 5), so that every tool shows the same key.
  secret[0] = (secret[0] as number) & 248;
  secret[31] = ((secret[31] as number) & 127) | 64;
  return {
    privateKey: secret.toString('base64'),
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url').toString('base64'),
  };
}

export function newPresharedKey(): string {
  return newBytes(32).toString('base64');
}

export interface ClientFile {
  readonly privateKey: string;
  readonly presharedKey: string;
  readonly slot: number;
  readonly serverPublicKey: string;
  readonly endpointHost: string;
  readonly endpointPort: number;
}

/**
 * The client's file. It contains only keys that the official Android and Apple apps accept: an unknown one is an error
 * there.
 */
export function clientFile(file: ClientFile): string {
  const host = file.endpointHost.includes(':') ? `[${file.endpointHost}]` : file.endpointHost;
  return [
    '[Interface]',
    `PrivateKey = ${file.privateKey}`,
    `Address = ${address4Of('wireguard', file.slot)}/32, ${address6Of('wireguard', file.slot)}/128`,
    `DNS = ${resolversOf('wireguard').join(', ')}`,
    'MTU = 1420',
    '',
    '[Peer]',
    `PublicKey = ${file.serverPublicKey}`,
    `PresharedKey = ${file.presharedKey}`,
    'AllowedIPs = 0.0.0.0/0, ::/0',
    `Endpoint = ${host}:${file.endpointPort}`,
    'PersistentKeepalive = 25',
    '',
  ].join('\n');
}
