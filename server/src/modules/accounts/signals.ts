import { defineSignal } from '../../platform/bus.ts';

/** Something of the account but its money: profile, activation, plan. */
export const accountChanged = defineSignal<{ readonly userId: string }>('account');
