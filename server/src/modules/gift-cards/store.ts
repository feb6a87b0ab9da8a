/** What the product needs from a store that sells its gift cards. Implemented once per store, in the adapters. */
export interface GiftCardStore {
  readonly slug: string;
  readonly title: { readonly fa: string; readonly en: string };
  readonly about: { readonly fa: string; readonly en: string };
  /** True for the built-in test store. */
  readonly test: boolean;
  /** The signed address to which a user is sent. It starts a purchase and proves nothing. */
  redirectUrl(visit: StoreVisit): string;
  /** Checks that the store signed this message recently, and reads it. */
  readWebhook(message: WebhookMessage, now: Date): WebhookReading;
}

export interface StoreVisit {
  /** Our id of the visit; the webhook returns it. */
  readonly ref: string;
  readonly userId: string;
  readonly email: string;
  readonly returnUrl: string;
  /** Valid once. */
  readonly nonce: string;
  readonly expiresAt: Date;
}

export interface WebhookMessage {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  /** The body as received, byte for byte. */
  readonly body: string;
}

export type WebhookReading =
  | { readonly kind: 'refused'; readonly reason: 'unsigned' | 'too old' | 'wrong signature' }
  | { readonly kind: 'accepted'; readonly webhookId: string };
