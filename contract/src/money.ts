/**
 * Money is an integer number of toman everywhere inside the product (1 toman = 10 rial); other units exist only at the
 * edge to a bank. In SQL and in rules it is a bigint, on the wire a safe integer.
 */

/** Bytes in the gigabyte that is priced: decimal, 10⁹, as the screens say. */
export const BYTES_PER_GB = 1_000_000_000;

/** Divides bytes × thousandths of a toman per gigabyte into toman. */
const MILLI_TOMAN_BYTES = BigInt(BYTES_PER_GB) * 1000n;

/** Price of a gigabyte in thousandths of a toman: cents per GB times toman per dollar is seldom a whole toman. */
export function priceMilliTomanPerGb(usdCentsPerGb: number, tomanPerUsd: number): bigint {
  if (!Number.isSafeInteger(usdCentsPerGb) || usdCentsPerGb < 0) throw new RangeError('usdCentsPerGb');
  if (!Number.isSafeInteger(tomanPerUsd) || tomanPerUsd <= 0) throw new RangeError('tomanPerUsd');
  return BigInt(usdCentsPerGb) * BigInt(tomanPerUsd) * 10n;
}

/**
 * F(b): the price in toman of the first `bytes` bytes of a price segment, rounded down once, on the cumulative count.
 * A report is charged `F(after) − F(before)`, so neither batching nor order can change a bill. The database computes the same
 * with `charge_toman` (migration 0005), for a whole report in one statement; `server/test/flows/charge.test.ts` compares them.
 */
export function chargeToman(bytes: bigint, priceMilliToman: bigint): bigint {
  if (bytes < 0n || priceMilliToman < 0n) throw new RangeError('chargeToman takes no negative numbers');
  return (bytes * priceMilliToman) / MILLI_TOMAN_BYTES;
}

/**
 * The largest byte count whose price is at most `toman`: the inverse of `chargeToman`, used to size a lease.
 * A price of zero buys any number of bytes and is answered with `undefined`.
 */
export function affordableBytes(toman: bigint, priceMilliToman: bigint): bigint | undefined {
  if (toman < 0n || priceMilliToman < 0n) throw new RangeError('affordableBytes takes no negative numbers');
  if (priceMilliToman === 0n) return undefined;
  // F(b) ≤ t  ⇔  b·p < (t+1)·10¹²  ⇔  b ≤ ⌈(t+1)·10¹²/p⌉ − 1
  const bound = (toman + 1n) * MILLI_TOMAN_BYTES;
  return (bound + priceMilliToman - 1n) / priceMilliToman - 1n;
}

/** A bigint amount as it goes over the wire. Amounts beyond 2⁵³−1 are a bug, not a rounding. */
export function toWire(amount: bigint): number {
  const value = Number(amount);
  if (!Number.isSafeInteger(value)) throw new RangeError('amount is beyond 2^53-1');
  return value;
}

/** Rial exist only at the edge to a bank. */
export function tomanToRial(amountToman: number): number {
  return amountToman * 10;
}
