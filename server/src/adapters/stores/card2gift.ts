import type { GiftCardStore } from '../../modules/gift-cards/store.ts';
import { type SigningKey, signedUrl } from './signed-redirect.ts';
import { checkWebhook } from './standard-webhook.ts';

/** What the operator agrees on with a store. */
export interface StoreOptions {
  /** The store's page that accepts signed visits; read at each call. */
  readonly pageUrl: () => string;
  readonly key: SigningKey;
  readonly webhookSecret: Buffer;
  readonly test: boolean;
}

/**
 * card2gift. Its interface is not public: this adapter speaks our own contract (signed visit, Standard Webhooks), and
 * any difference is changed here alone.
 */
export function createCard2gift(options: StoreOptions): GiftCardStore {
  return {
    slug: 'card2gift',
    title: { fa: 'کارت‌توگیفت', en: 'card2gift' },
    about: { fa: 'گیفت کارت با کدی آمادهٔ ثبت', en: 'Gift cards with a code ready to redeem' },
    test: options.test,
    redirectUrl: (visit) => signedUrl(options.pageUrl(), visit, options.key),
    readWebhook: (message, now) => checkWebhook(options.webhookSecret, message, now),
  };
}
