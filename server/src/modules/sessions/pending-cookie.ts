import { limits } from '@raha/contract/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SecondStepNeeded } from './open-session.ts';

/** Names the pending sign-in of a browser; no script can read it, and no other path gets it. */
const COOKIE = 'second_step';
const PATH = '/api/v1/auth';

export function readPendingToken(request: FastifyRequest): string | undefined {
  return request.cookies[COOKIE];
}

/** Runs a sign-in; if it needs a second step, the browser keeps the pending sign-in, and the refusal goes on. */
export async function keepPending<T>(
  { secureCookies }: { readonly secureCookies: boolean },
  reply: FastifyReply,
  signIn: Promise<T>,
): Promise<T> {
  return await signIn.catch((error: unknown) => {
    if (error instanceof SecondStepNeeded) {
      reply.setCookie(COOKIE, error.pendingToken, {
        path: PATH,
        httpOnly: true,
        sameSite: 'strict',
        secure: secureCookies,
        maxAge: limits.factors.pendingSignInSeconds,
      });
    }
    throw error;
  });
}

export function forgetPending(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(COOKIE, { path: PATH, httpOnly: true, sameSite: 'strict', secure });
}
