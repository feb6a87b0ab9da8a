import { staffLimits } from '@raha/contract/admin/limits.ts';
import { limits } from '@raha/contract/limits.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** No script can read these cookies, no other site can have them sent, and no other call gets them. */
export const CONSOLE_PATH = '/api/v1/admin';
const SESSION = 'staff_session';
const SIGN_IN = 'staff_sign_in';

export function readSessionToken(request: FastifyRequest): string | undefined {
  return request.cookies[SESSION];
}

export function readSignInToken(request: FastifyRequest): string | undefined {
  return request.cookies[SIGN_IN];
}

export function keepSignIn(reply: FastifyReply, token: string, secure: boolean): void {
  reply.setCookie(SIGN_IN, token, { ...attributes(secure), maxAge: limits.factors.pendingSignInSeconds });
}

export function keepSession(reply: FastifyReply, token: string, secure: boolean): void {
  reply.clearCookie(SIGN_IN, attributes(secure));
  reply.setCookie(SESSION, token, { ...attributes(secure), maxAge: staffLimits.session.hours * 3600 });
}

export function forgetSession(reply: FastifyReply, secure: boolean): void {
  reply.clearCookie(SESSION, attributes(secure));
}

function attributes(secure: boolean) {
  return { path: CONSOLE_PATH, httpOnly: true, sameSite: 'strict', secure } as const;
}
