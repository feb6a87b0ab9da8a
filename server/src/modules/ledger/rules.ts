/** One side of a transfer: a signed amount in toman for an account. */
export interface Movement {
  readonly accountId: string;
  readonly amountToman: bigint;
}

/** Amounts stay below 2⁵³ in magnitude, so that JSON represents every one exactly (invariant L19). */
export const MAX_AMOUNT = 2n ** 53n - 1n;

/**
 * The posting of a list of movements: one entry per account, zero entries dropped. Throws when the movements do not
 * balance, when fewer than two entries remain, or when an amount is out of range; these are bugs, not refusals.
 */
export function decidePosting(movements: readonly Movement[]): { accounts: string[]; amounts: bigint[] } {
  const byAccount = new Map<string, bigint>();
  for (const { accountId, amountToman } of movements) {
    byAccount.set(accountId, (byAccount.get(accountId) ?? 0n) + amountToman);
  }
  const entries = [...byAccount].filter(([, amount]) => amount !== 0n);
  const sum = entries.reduce((total, [, amount]) => total + amount, 0n);
  if (sum !== 0n) throw new RangeError(`a transfer must balance, this one sums to ${sum}`);
  if (entries.length < 2) throw new RangeError('a transfer needs at least two entries');
  for (const [, amount] of entries) {
    if (amount > MAX_AMOUNT || amount < -MAX_AMOUNT) throw new RangeError('an amount is beyond 2^53-1');
  }
  return { accounts: entries.map(([account]) => account), amounts: entries.map(([, amount]) => amount) };
}
