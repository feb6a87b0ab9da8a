import { defineSignal } from '../../platform/bus.ts';

export const balanceChanged = defineSignal<{ readonly userId: string }>('balance');
