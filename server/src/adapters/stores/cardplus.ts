import type { GiftCardStore } from '../../modules/gift-cards/store.ts';
import type { StoreOptions } from './card2gift.ts';
import { signedUrl } from './signed-redirect.ts';
import { checkWebhook } from './standard-webhook.ts';

/** cardplus. As with card2gift nothing of its interface is public; it is asked to speak our contract. */
export function createCardplus(options: StoreOptions): GiftCardStore {
  return {
    slug: 'cardplus',
    title: { fa: 'کارت‌پلاس', en: 'cardplus' },
    about: { fa: 'تحویل آنی کد، پشتیبانی هر روز هفته', en: 'The code at once, support every day' },
    test: options.test,
    redirectUrl: (visit) => signedUrl(options.pageUrl(), visit, options.key),
    readWebhook: (message, now) => checkWebhook(options.webhookSecret, message, now),
  };
}
