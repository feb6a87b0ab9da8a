import { defineSignal } from '../../platform/bus.ts';

/** A notification was added, read or deleted. */
export const notificationsChanged = defineSignal<{ readonly userId: string }>('notification');
