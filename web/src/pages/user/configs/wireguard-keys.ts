/**
 * WireGuard keys made in this browser (RFC 7748 X25519, raw 32 bytes in base64). The private key never leaves it.
 */
export interface KeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

export async function makeKeyPair(): Promise<KeyPair> {
  const pair = (await crypto.subtle.generateKey('X25519', true, ['deriveBits'])) as CryptoKeyPair;
  const [publicKey, pkcs8] = await Promise.all([
    crypto.subtle.exportKey('raw', pair.publicKey),
    crypto.subtle.exportKey('pkcs8', pair.privateKey),
  ]);
  // PKCS#8 of RFC 8410 ends with the 32 raw bytes.
  return { publicKey: base64(new Uint8Array(publicKey)), privateKey: base64(new Uint8Array(pkcs8).slice(-32)) };
}

/** Whether this browser can: it needs a secure origin and X25519, which older ones lack. */
export async function canMakeKeys(): Promise<boolean> {
  try {
    await makeKeyPair();
    return true;
  } catch {
    return false;
  }
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
