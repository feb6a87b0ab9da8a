import { limits } from '@raha/contract/limits.ts';
import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

const days = z.int().check(z.gte(0), z.lte(365));

export const trialPasswordlessDays = defineSetting('trial.passwordlessDays', days, limits.trial.passwordlessDays);
export const trialPasswordDays = defineSetting('trial.passwordDays', days, limits.trial.passwordRegistrationDays);
/** How much usage inside a trial is free at most, in gigabytes of 10⁹ bytes; 0: no trials. */
export const trialGb = defineSetting('trial.gb', z.number().check(z.gte(0), z.lte(100_000)), limits.trial.gb);
/** False: configs may be made and used inside the trial before the account is activated. */
export const trialRequiresActivation = defineSetting('trial.requiresActivation', z.boolean(), true);
/** False: the value of the card that activated an account cannot be transferred to another one. */
export const activationTransferable = defineSetting('accounts.activationTransferable', z.boolean(), false);
/** True: signing in reactivates a deactivated account; false: only the operator can. */
export const returnBySignIn = defineSetting('accounts.returnBySignIn', z.boolean(), true);
