import { defineSignal } from '../../platform/bus.ts';

/** A node has reported usage. */
export const nodeReported = defineSignal<{ readonly nodeId: string }>('node-report');

/** Somebody is looking at a connection. */
export const configWatched = defineSignal<{ readonly configId: string }>('config-watched');

/** A device has connected on a config or disconnected. */
export const connectionChanged = defineSignal<{
  readonly userId: string;
  readonly configId: string;
  readonly connected: boolean;
}>('connection');
