import { claimDefaults } from '@raha/contract/claim-defaults.ts';
import { limits } from '@raha/contract/limits.ts';
import { m } from './generated/messages.js';
import { currentLocale } from './locale.ts';

/** What the operator has set, as the server wrote it into the shell of the application. */
function shell(): DOMStringMap {
  return document.querySelector<HTMLMetaElement>('meta[name=application-name]')?.dataset ?? {};
}

export function brandName(): string {
  const { fa, en } = shell();
  return (currentLocale() === 'fa' ? fa : en) || m.brand();
}

/** Free days after registering with a password; 0 where the operator gives none. */
export function passwordTrialDays(): number {
  return whole(shell().passwordDays, limits.trial.passwordRegistrationDays);
}

/** Free days after completing the profile of a sign-in without one. */
export function passwordlessTrialDays(): number {
  return whole(shell().passwordlessDays, limits.trial.passwordlessDays);
}

/** What the free package of a registration costs otherwise, in toman. */
export function packageToman(): number {
  return whole(shell().packageToman, claimDefaults.packageToman);
}

/** How many configs a user may have. */
export function configsPerUser(): number {
  return whole(shell().configsPerUser, limits.config.perUser);
}

function whole(written: string | undefined, otherwise: number): number {
  return written !== undefined && /^\d+$/.test(written) ? Number(written) : otherwise;
}
