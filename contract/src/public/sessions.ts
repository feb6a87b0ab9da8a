import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { done, id, idParams, instant, wrapped } from '../shapes.ts';

export const session = z.object({
  id,
  /** The session of this request. */
  current: z.boolean(),
  /** Browser and system, from the User-Agent header; no address is stored. */
  device: z.string(),
  method: z.enum(['code', 'password', 'google', 'github', 'passkey']),
  created_at: instant,
  last_used_at: instant,
});
export type Session = z.output<typeof session>;

export const sessions = {
  listSessions: defineEndpoint({
    method: 'GET',
    path: '/auth/sessions',
    caller: 'user',
    summary: 'Where the account is signed in',
    response: wrapped(z.object({ sessions: z.array(session) })),
  }),
  endSession: defineEndpoint({
    method: 'DELETE',
    path: '/auth/sessions/{id}',
    caller: 'user',
    summary: 'Sign one of them out',
    params: idParams,
    response: done,
  }),
  endOtherSessions: defineEndpoint({
    method: 'DELETE',
    path: '/auth/sessions',
    caller: 'user',
    summary: 'Sign all others out',
    response: done,
  }),
};
