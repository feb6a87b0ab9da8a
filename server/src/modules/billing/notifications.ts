import type { Tx } from '../../platform/database.ts';

export interface BillingNotifications {
  low_balance: { percent: number; balanceToman: number };
  service_cut: Record<string, never>;
  service_restored: Record<string, never>;
}

/** What billing reports; whether that is worth a notification is decided where the earlier ones are known. */
export interface ServiceNotifier {
  /** Usage of these users was booked: those whose balance has become low are notified. */
  balanceFell(tx: Tx, userIds: readonly string[]): Promise<void>;
  /** Their quota is exceeded: they are notified once, until the service is restored. */
  serviceStopped(tx: Tx, userIds: readonly string[]): Promise<void>;
  /** Those who were notified that it stopped are notified that it is back. */
  serviceRestored(tx: Tx, userId: string): Promise<void>;
}
