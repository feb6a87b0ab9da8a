import type { Tx } from '../../platform/database.ts';

export interface BillingNotifications {
  /** `hours`: it lasts that long at the pace of the last day. */
  low_balance: { percent: number; balanceToman: number; hours?: number };
  /** What had paid for the last bytes; absent in older ones. */
  service_cut: { cause?: 'money' | 'plan' | 'trial' };
  service_restored: Record<string, never>;
  trial_used_up: { gb: number };
}

/** Billing's events; the notifications module, which knows the earlier ones, decides whether to notify the user. */
export interface ServiceNotifier {
  /** Usage of these users was booked; those whose balance has become low are notified. */
  balanceFell(tx: Tx, userIds: readonly string[]): Promise<void>;
  /** An hour of these users was booked; those whose balance lasts for hours only are notified, once per top-up. */
  balanceRunsOut(tx: Tx, userIds: readonly string[]): Promise<void>;
  /** Their quota is exceeded; they are notified once, until the service is restored. */
  serviceStopped(
    tx: Tx,
    stops: readonly { readonly userId: string; readonly cause: 'money' | 'plan' | 'trial' }[],
  ): Promise<void>;
  /** The traffic of these users' trials was used up before the last day. */
  trialsUsedUp(tx: Tx, trials: readonly { userId: string; gb: number }[]): Promise<void>;
  /** Notifies the user, if the last notification was that the service stopped. */
  serviceRestored(tx: Tx, userId: string): Promise<void>;
}
