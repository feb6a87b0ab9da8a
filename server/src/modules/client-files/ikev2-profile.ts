import { createHash } from 'node:crypto';

/** The data from which each system's format is written. */
export interface Ikev2Profile {
  readonly configId: string;
  /** The user's name for it; shown in the device's list of connections. */
  readonly name: string;
  /** ASCII only, for systems that accept nothing else. */
  readonly plainName: string;
  readonly endpointHost: string;
  /** The name in the node's certificate. */
  readonly serverName: string;
  /** PEM; the next field is the common name in it. */
  readonly certificateAuthority: string;
  readonly certificateAuthorityName: string;
  readonly userName: string;
  readonly password: string;
}

/** A stable UUID: installing a profile again replaces the old one (RFC 9562 section 5.8). */
export function stableId(configId: string, part: string): string {
  const bytes = createHash('sha256').update(`raha/${part}/${configId}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The certificate's DER in base64 on one line. */
export function derOf(pem: string): string {
  return pem.replace(/-----[^-]+-----/g, '').replace(/\s+/g, '');
}
