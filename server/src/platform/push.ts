/** Where a browser takes messages: an address of its maker's push service, and the keys that only the browser opens them with. */
export interface PushSubscription {
  readonly endpoint: string;
  /** A point of P-256, uncompressed, in base64url. */
  readonly p256dh: string;
  /** 16 bytes in base64url. */
  readonly auth: string;
}

export interface PushMessage {
  /** At most 3,000 bytes of UTF-8. */
  readonly text: string;
  /** A later message with the same topic replaces one that was not delivered yet; base64url, at most 32 characters. */
  readonly topic: string;
  /** The service drops it after this time. */
  readonly ttlSeconds: number;
}

/** `gone`: the browser takes no more messages there. `busy`: nothing was sent, try later. `refused`: it never will be. */
export type PushResult =
  | { readonly kind: 'sent' | 'gone' }
  | { readonly kind: 'refused' | 'busy'; readonly reason: string };

export interface PushSender {
  /** By which a browser knows that a message is ours, in base64url (RFC 8292). */
  readonly publicKey: string;
  /** Whether the address is one of a push service that we send to. */
  accepts(endpoint: string): boolean;
  send(to: PushSubscription, message: PushMessage): Promise<PushResult>;
}
