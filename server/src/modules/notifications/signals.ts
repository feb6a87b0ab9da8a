import { defineSignal } from '../../platform/bus.ts';

/** A notification has come, was read or was deleted. */
export const notificationsChanged = defineSignal<{ readonly userId: string }>('notification');
