/**
 * The NT hash of a password: MD4 (RFC 1320) of its UTF-16 form, which EAP-MSCHAPv2 verifies with (RFC 2759 section 8.3).
 * It does not protect a password: ours are random and long. Written here because OpenSSL 3 has MD4 only in a provider
 * that Node does not load.
 */
export function ntHash(password: string): string {
  return md4(Buffer.from(password, 'utf16le')).toString('hex');
}

const SHIFTS = [
  [3, 7, 11, 19],
  [3, 5, 9, 13],
  [3, 9, 11, 15],
] as const;
/** The order in which each round uses the words of a block. */
const ORDERS = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
  [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
] as const;
const CONSTANTS = [0, 0x5a827999, 0x6ed9eba1] as const;
const MIXERS = [
  (x: number, y: number, z: number) => (x & y) | (~x & z),
  (x: number, y: number, z: number) => (x & y) | (x & z) | (y & z),
  (x: number, y: number, z: number) => x ^ y ^ z,
] as const;
const BLOCK_BYTES = 64;

export function md4(message: Buffer): Buffer {
  const padded = pad(message);
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as [number, number, number, number];
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) state = mixIn(state, padded, at);
  const digest = Buffer.alloc(16);
  for (const [index, word] of state.entries()) digest.writeUInt32LE(word >>> 0, index * 4);
  return digest;
}

function mixIn(
  state: readonly [number, number, number, number],
  bytes: Buffer,
  at: number,
): [number, number, number, number] {
  let [a, b, c, d] = state;
  for (const [round, mix] of MIXERS.entries()) {
    for (const [step, word] of (ORDERS[round] as readonly number[]).entries()) {
      const sum = a + mix(b, c, d) + bytes.readUInt32LE(at + word * 4) + (CONSTANTS[round] as number);
      const turned = rotate(sum | 0, (SHIFTS[round] as readonly number[])[step % 4] as number);
      [a, b, c, d] = [d, turned, b, c];
    }
  }
  return [(a + state[0]) | 0, (b + state[1]) | 0, (c + state[2]) | 0, (d + state[3]) | 0];
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Appends a one bit, zeros, and the length in bits at the end of the last block. */
function pad(message: Buffer): Buffer {
  const length = Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  const padded = Buffer.alloc(length);
  message.copy(padded);
  padded[message.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(message.length) * 8n, length - 8);
  return padded;
}
