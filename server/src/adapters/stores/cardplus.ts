import type { GiftCardStore } from '../../modules/gift-cards/store.ts';
import type { StoreOptions } from './card2gift.ts';
import { signedUrl } from './signed-redirect.ts';
import { checkWebhook } from './standard-webhook.ts';

/** cardplus. As with card2gift, its interface is not public; it is expected to speak our contract. */
export function createCardplus(options: StoreOptions): GiftCardStore {
  return {
    slug: 'cardplus',
    title: { fa: 'کارت‌پلاس', en: 'cardplus' },
    about: { fa: 'گیفت کارت با کدی آمادهٔ ثبت', en: 'Gift cards with a code ready to redeem' },
    test: options.test,
    redirectUrl: (visit) => signedUrl(options.pageUrl(), visit, options.key),
    readWebhook: (message, now) => checkWebhook(options.webhookSecret, message, now),
  };
}
