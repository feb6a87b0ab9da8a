import * as z from 'zod/mini';

/**
 * What a config's device shows the proxy. It is made of the config's tls-crypt-v2 key, which the server keeps sealed and the OpenVPN
 * file contains: so nothing more is kept or sent, and new keys bring a new one (decision 0137).
 */
export const proxyId = z.string().check(z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/));

/** Where a website hands connections on to the proxy. It becomes part of a configuration file and of links. */
export const proxyPath = z.string().check(z.regex(/^\/[A-Za-z0-9._~/-]{1,120}$/));

/** The text whose SHA-256 the id is made of. How the key's lines are broken does not matter. */
export function proxyIdSource(tlsCryptKey: string): string {
  return `raha proxy 1 ${tlsCryptKey.replace(/^-----.*$|\s/gm, '')}`;
}

/** The first 122 bits that a UUID has room for, in its form of random ones (RFC 9562, 5.4), which every app accepts. */
export function proxyIdOf(digest: Uint8Array): string {
  const bytes = digest.slice(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
