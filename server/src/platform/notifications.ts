import type { Tx } from './database.ts';

/**
 * Something that happened to a user, of one of the kinds `K`: their names, each with what its text needs to know (money in
 * toman). Each module declares its own kinds in `notifications.ts`. Texts are made when they are read, by the module of
 * notifications; those below it only say what happened, through this port.
 */
export type NotificationEvent<K> = {
  readonly [Kind in keyof K]: {
    readonly userId: string;
    readonly kind: Kind;
    /** Names what happened: one cause notifies a user once, however often it is reported. */
    readonly cause: string;
    readonly data: K[Kind];
  };
}[keyof K];

export interface Notifier<K> {
  /** Belongs to the transaction in which it happened: nobody is notified when that rolls back. */
  notify(tx: Tx, events: readonly NotificationEvent<K>[]): Promise<void>;
}
