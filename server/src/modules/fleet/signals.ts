import { defineSignal } from '../../platform/bus.ts';

/** The desired state of a node has changed. */
export const nodeStateChanged = defineSignal<{ readonly nodeId: string }>('node-state');
