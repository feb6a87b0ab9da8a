import { formatNumber } from './persian.ts';

export interface TrialTerms {
  readonly trialTerms: string;
  readonly trialTermsEnglish: string;
  readonly trialMeaning: string;
  readonly trialMeaningEnglish: string;
}

/**
 * What stands wherever free days are promised: how many gigabytes they hold and, if the operator requires it, that they
 * begin to count after activation with a gift card.
 */
export function trialTerms(gb: number, requiresActivation: boolean): TrialTerms {
  const [fa, en] = [`تا ${formatNumber(gb, 'fa')} گیگابایت`, `up to ${formatNumber(gb, 'en')} GB`];
  const once = { fa: 'برای هر صندوق ایمیل و شمارهٔ موبایل یک بار.', en: 'Once per mailbox and phone number.' };
  if (!requiresActivation)
    return {
      trialTerms: fa,
      trialTermsEnglish: en,
      trialMeaning: `در این دوره بی‌نیاز از فعال‌سازی کانفیگ می‌سازید و مصرفتان ${fa} هزینه‌ای ندارد؛ پس از آن کیف پول یا پلن می‌پردازد. ${once.fa}`,
      trialMeaningEnglish: `In it you create configs without activating the account, and your usage is free of charge ${en}; after that the wallet or a plan pays. ${once.en}`,
    };
  return {
    trialTerms: `${fa}، پس از فعال‌سازی با گیفت کارت`,
    trialTermsEnglish: `${en}, after activation with a gift card`,
    trialMeaning: `دورهٔ رایگان به‌تنهایی حساب را فعال نمی‌کند: پس از فعال‌سازی با گیفت کارت، مصرفتان تا پایان این دوره و ${fa} هزینه‌ای ندارد؛ پس از آن کیف پول یا پلن می‌پردازد. ${once.fa}`,
    trialMeaningEnglish: `The trial alone does not activate the account: after you activate it with a gift card, what you use until the trial ends is free of charge ${en}; after that the wallet or a plan pays. ${once.en}`,
  };
}
