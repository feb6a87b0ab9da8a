import type { Tx } from '../../platform/database.ts';

/** A user's balance, locked together with the leases on VPN servers that hold a part of it. */
export interface LockedBalance {
  readonly walletId: string;
  /** What the user sees as the balance, in toman: free money, and what is reserved for bytes that have not passed. */
  readonly balanceToman: bigint;
  /**
   * Runs `move`, which takes `amountToman` from the wallet. If the wallet holds less, or the amount is 'all', the money
   * in leases is taken back before, and leases are granted anew from what is left after. `move` refuses
   * `insufficient_balance` if the balance is smaller.
   */
  spend<T>(amountToman: bigint | 'all', move: () => Promise<T>): Promise<T>;
}

/**
 * The first lock of everything that spends a balance, after those of the user and the payment. Billing does it, because
 * it decides about leases; the modules below it get it passed in.
 */
export type LockBalance = (tx: Tx, userId: string) => Promise<LockedBalance>;
