import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { id, toman } from '../shapes.ts';

/** Events for an open panel. Each says what changed; the screen then requests the data. */
export const realtimeEvent = z.discriminatedUnion('type', [
  /** The first event of every stream. */
  z.object({ type: z.literal('hello') }),
  z.object({ type: z.literal('balance'), balance: toman }),
  z.object({ type: z.literal('config'), configId: id }),
  z.object({ type: z.literal('usage'), configId: id }),
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
