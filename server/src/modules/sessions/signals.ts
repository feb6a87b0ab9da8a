import { defineSignal } from '../../platform/bus.ts';

export const sessionEnded = defineSignal<{ readonly userId: string; readonly sessionId: string }>('session-ended');
