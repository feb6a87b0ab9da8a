import type { Tx } from './database.ts';

/**
 * An event that a user is notified of. `K` maps each kind to the data that its text needs (money in toman). Each module
 * declares its own kinds in `notifications.ts` and reports events through the `Notifier` port; the notifications module
 * composes the texts when they are read.
 */
export type NotificationEvent<K> = {
  readonly [Kind in keyof K]: {
    readonly userId: string;
    readonly kind: Kind;
    /** Identifies the event: one cause notifies a user once, however often it is reported. */
    readonly cause: string;
    readonly data: K[Kind];
  };
}[keyof K];

export interface Notifier<K> {
  /** Part of the transaction of the event: nobody is notified when that rolls back. */
  notify(tx: Tx, events: readonly NotificationEvent<K>[]): Promise<void>;
}
