import type { Tx } from './database.ts';

/**
 * What people are told of, and what the sentence needs to know. Money is in toman. Sentences are made when they are read,
 * by the module of notifications; those below it only say what happened, through this port.
 */
export interface NoticeData {
  welcome: Record<string, never>;
  address_verified: Record<string, never>;
  account_activated: { amountToman: number };
  card_redeemed: { amountToman: number };
  payment_completed: { amountToman: number };
  payment_reversed: { amountToman: number };
  refund_confirmed: { amountToman: number };
  refund_failed: { amountToman: number };
  transfer_received: { amountToman: number };
  low_balance: { percent: number; balanceToman: number };
  service_cut: Record<string, never>;
  service_restored: Record<string, never>;
  config_live: { name: string };
  /** Its server is left: `hasFile` when a new one waits, in that country; until when the old one works. */
  config_moved: { name: string; endsAt: string; country: string; hasFile: boolean };
  new_device: { device: string };
  plan_ending: { nameFa: string; nameEn: string; endsAt: string };
}
export type NoticeKind = keyof NoticeData;

export type Notice = {
  readonly [K in NoticeKind]: {
    readonly userId: string;
    readonly kind: K;
    /** Names what happened: one cause tells a user once, however often it is told. */
    readonly cause: string;
    readonly data: NoticeData[K];
  };
}[NoticeKind];

/** Each call belongs to the transaction in which it happened: told when that commits, never when it rolls back. */
export interface Notices {
  tell(tx: Tx, notices: readonly Notice[]): Promise<void>;
  /** Usage of these people was booked: whose balance has become low hears of it. */
  balanceFell(tx: Tx, userIds: readonly string[]): Promise<void>;
  /** Told once until the service is restored. */
  serviceCut(tx: Tx, userIds: readonly string[]): Promise<void>;
  /** Told to those who were told of a cut. */
  serviceRestored(tx: Tx, userId: string): Promise<void>;
}
