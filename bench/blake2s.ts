/** BLAKE2s with a key and a chosen length (RFC 7693), which WireGuard's MAC needs and node:crypto does not offer. */
export function blake2s(data: Uint8Array, key: Uint8Array, length: number): Buffer {
  const h = Uint32Array.from(IV);
  h[0]! ^= 0x01010000 ^ (key.length << 8) ^ length;
  const keyBlock = Buffer.alloc(key.length > 0 ? 64 : 0);
  keyBlock.set(key);
  const input = Buffer.concat([keyBlock, data]);
  const blocks = Math.max(1, Math.ceil(input.length / 64));
  const padded = Buffer.alloc(blocks * 64);
  padded.set(input);
  for (let block = 0; block < blocks; block++) {
    const last = block === blocks - 1;
    compress(h, padded.subarray(block * 64, block * 64 + 64), last ? input.length : (block + 1) * 64, last);
  }
  const out = Buffer.alloc(32);
  for (const [index, word] of h.entries()) out.writeUInt32LE(word, index * 4);
  return out.subarray(0, length);
}

const IV = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];
const SIGMA = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
/** Columns, then diagonals. */
const MIX = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as const;

function compress(h: Uint32Array, block: Buffer, counter: number, last: boolean): void {
  const m = Array.from({ length: 16 }, (_, index) => block.readUInt32LE(index * 4));
  const v = Uint32Array.from([...h, ...IV]);
  v[12]! ^= counter;
  if (last) v[14]! ^= 0xffffffff;
  for (const sigma of SIGMA) {
    for (const [index, [a, b, c, d]] of MIX.entries()) {
      v[a] = v[a]! + v[b]! + m[sigma[index * 2]!]!;
      v[d] = rotate(v[d]! ^ v[a]!, 16);
      v[c] = v[c]! + v[d]!;
      v[b] = rotate(v[b]! ^ v[c]!, 12);
      v[a] = v[a]! + v[b]! + m[sigma[index * 2 + 1]!]!;
      v[d] = rotate(v[d]! ^ v[a]!, 8);
      v[c] = v[c]! + v[d]!;
      v[b] = rotate(v[b]! ^ v[c]!, 7);
    }
  }
  for (let index = 0; index < 8; index++) h[index]! ^= v[index]! ^ v[index + 8]!;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
