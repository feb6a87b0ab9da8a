import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { bytes, id, instant, toman } from '../shapes.ts';

/** Events for an open panel. Each says what changed; the screen then requests the data. */
export const realtimeEvent = z.discriminatedUnion('type', [
  /** The first event of every stream. */
  z.object({ type: z.literal('hello') }),
  z.object({ type: z.literal('balance'), balance: toman }),
  z.object({ type: z.literal('config'), configId: id }),
  /** A node has counted traffic of a config; the event has what changes with each report, so that nothing is requested. */
  z.object({
    type: z.literal('usage'),
    configId: id,
    /** Totals of the config. */
    uploaded: bytes,
    downloaded: bytes,
    lastUsed: z.nullable(instant),
    /** What the wallet shows, reserved money included. */
    balance: toman,
    /** The node has stopped the config, because what was reserved for it is used up. */
    stopped: z.boolean(),
  }),
  z.object({ type: z.literal('connection'), configId: id, connected: z.boolean() }),
  z.object({ type: z.literal('payment'), transactionId: id, status: z.string() }),
  z.object({ type: z.literal('account') }),
  z.object({ type: z.literal('notification') }),
  z.object({ type: z.literal('session-ended') }),
]);
export type RealtimeEvent = z.output<typeof realtimeEvent>;

export const realtime = {
  stream: defineEndpoint({
    method: 'GET',
    path: '/realtime',
    caller: 'user',
    summary:
      'Server-sent events for one user: each `data:` line is a RealtimeEvent; a comment every 15 s keeps it open',
    produces: 'text/event-stream',
  }),
};
