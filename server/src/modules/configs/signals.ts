import { defineSignal } from '../../platform/bus.ts';

export const configChanged = defineSignal<{ readonly userId: string; readonly configId: string }>('config');
