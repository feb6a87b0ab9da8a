import { limits } from '@raha/contract/limits.ts';
import { trialTerms } from '@raha/contract/trial-terms.ts';
import { m } from './generated/messages.js';
import { currentLocale } from './locale.ts';

/** The operator's settings, as the server wrote them into the application's document. */
function shell(): DOMStringMap {
  return document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.dataset ?? {};
}

export function brandName(): string {
  const { fa, en } = shell();
  return (currentLocale() === 'fa' ? fa : en) || m.brand();
}

/** Free days after registering with a password; 0 if the operator gives none. */
export function passwordTrialDays(): number {
  return whole(shell().passwordDays, limits.trial.passwordRegistrationDays);
}

/** Free days after a sign-in without a password, once the profile is complete. */
export function passwordlessTrialDays(): number {
  return whole(shell().passwordlessDays, limits.trial.passwordlessDays);
}

/** How much traffic the free days hold, and after what, as half a sentence. */
export function freeTrialTerms(): string {
  const { trialFa, trialEn } = shell();
  const usual = trialTerms(limits.trial.gb, true);
  return currentLocale() === 'fa' ? trialFa || usual.trialTerms : trialEn || usual.trialTermsEnglish;
}

/** The regular price in toman of the package that is free on registration, and whether it is only a sample. */
export function packagePrice(): { readonly toman: number; readonly isSample: boolean } | undefined {
  const { packageToman, packageIsSample } = shell();
  const price = whole(packageToman, 0);
  return price > 0 ? { toman: price, isSample: packageIsSample === 'yes' } : undefined;
}

/** Maximum number of configs per user. */
export function configsPerUser(): number {
  return whole(shell().configsPerUser, limits.config.perUser);
}

function whole(written: string | undefined, otherwise: number): number {
  return written !== undefined && /^\d+$/.test(written) ? Number(written) : otherwise;
}
