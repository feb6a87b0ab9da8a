import { limits } from '@raha/contract/limits.ts';
import { automaticClaim, decideClaim, sampleClaims } from '@raha/contract/site-claims.ts';
import { trialTerms } from '@raha/contract/trial-terms.ts';

/** In place of the operator's values, which only the server knows. */
export const usualValues = {
  brand: 'رها',
  brandEnglish: 'Raha',
  tagline: 'پنجره‌ای رو به اینترنت آزاد',
  taglineFirst: 'پنجره‌ای رو به',
  taglineSecond: 'اینترنت آزاد',
  taglineEnglish: 'A window on the open internet',
  taglineEnglishFirst: 'A window on the',
  taglineEnglishSecond: 'open internet',
  supportEmail: 'support@raha.example',
  passwordDays: limits.trial.passwordRegistrationDays,
  passwordlessDays: limits.trial.passwordlessDays,
  ...trialTerms(limits.trial.gb, true),
  claims: Object.fromEntries(
    Object.keys(sampleClaims).map((name) => [name, decideClaim(name, automaticClaim, { isProduction: false })]),
  ),
  demonstrations: true,
  usdCentsPerGb: limits.price.usdCentsPerGb,
  sampleData: 'off',
  configsPerUser: limits.config.perUser,
};
