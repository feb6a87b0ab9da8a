/** The site as authenticators know it (W3C Web Authentication, section 5.1.2): a domain, and the origin of its pages. */
export interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

/**
 * Where passkeys work. A relying party is a domain, so a site at an IP address has none, except on loopback, where browsers
 * accept `localhost`. Browsers offer passkeys over https and on localhost only.
 */
export function relyingPartyOf(publicUrl: string): RelyingParty | undefined {
  const url = new URL(publicUrl);
  const { hostname } = url;
  if (/^127\.|^\[::1\]$/.test(hostname)) {
    url.hostname = 'localhost';
    return { id: 'localhost', origin: url.origin };
  }
  const isAddress = hostname.startsWith('[') || /^[\d.]+$/.test(hostname);
  const isSecure = url.protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isAddress || !isSecure ? undefined : { id: hostname, origin: url.origin };
}

/** The time step of a code that is `delta` steps away from now (RFC 6238, section 4.2: steps of 30 seconds). */
export function stepOf(now: Date, delta: number): bigint {
  return BigInt(Math.floor(now.getTime() / 30_000) + delta);
}

/** Crockford's base 32: no i, l, o and u, which people misread. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** Ten characters, 50 bits, from ten random bytes. */
export function recoveryCodeOf(bytes: Uint8Array): string {
  return [...bytes.subarray(0, 10)].map((byte) => ALPHABET[byte & 31]).join('');
}

/** In two groups, as it is shown and printed. */
export function showRecoveryCode(code: string): string {
  return `${code.slice(0, 5)}-${code.slice(5)}`;
}
