/** What the product needs from a store that sells its gift cards. Implemented once per store, in the adapters. */
export interface GiftCardStore {
  readonly slug: string;
  readonly title: { readonly fa: string; readonly en: string };
  readonly about: { readonly fa: string; readonly en: string };
  /** True for the built-in test store. */
  readonly test: boolean;
  /** The signed address a user is sent to. It starts a purchase and proves nothing. */
  redirectUrl(visit: StoreVisit): string;
  /** Who signed this message, if the store did and just now; reads what it says. */
  readWebhook(message: WebhookMessage, now: Date): WebhookReading;
}

export interface StoreVisit {
  /** Our name for the visit; comes back in the webhook. */
  readonly ref: string;
  readonly userId: string;
  readonly email: string;
  readonly returnUrl: string;
  /** Good once. */
  readonly nonce: string;
  readonly expiresAt: Date;
}

export interface WebhookMessage {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
  /** The body as it came, byte for byte. */
  readonly body: string;
}

export type WebhookReading =
  | { readonly kind: 'refused'; readonly reason: 'unsigned' | 'too old' | 'wrong signature' }
  | { readonly kind: 'accepted'; readonly webhookId: string };
