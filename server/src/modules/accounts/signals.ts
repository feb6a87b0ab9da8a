import { defineSignal } from '../../platform/bus.ts';

/** The account changed in something other than its money: profile, activation, plan. */
export const accountChanged = defineSignal<{ readonly userId: string }>('account');
