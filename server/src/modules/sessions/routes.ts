import type { auth } from '@raha/contract/public/auth.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { secondsBetween } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/database.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { completeUserProfile, isInTrial, lockUser, type User } from '../accounts/users.ts';
import type { SignedInCaller } from './caller.ts';
import { clearSessionCookies, forgetBrowser, REFRESH_COOKIE, setSessionCookies, setUserCookie } from './cookies.ts';
import { describeUser } from './describe-user.ts';
import { rememberBrowser } from './device.ts';
import { endSession } from './end-sessions.ts';
import { type AuthDeps, giveSession, messages } from './give-session.ts';
import { keepPending } from './pending-cookie.ts';
import { readService } from './read-service.ts';
import { refreshSession } from './refresh-session.ts';
import { describeSent, sendSignInCode } from './send-code.ts';
import type { SignedIn } from './sign-in.ts';
import { lockRefreshToken } from './tables.ts';
import { takeCall } from './take-call.ts';
import { hashToken } from './tokens.ts';
import { tryCode, tryLink } from './try-code.ts';

export function authRoutes(deps: AuthDeps): Handlers<typeof auth, SignedInCaller, unknown> {
  const signedIn = async (reply: FastifyReply, session: SignedIn, message: string) => {
    const user = await describeUser(deps.db, session.user);
    giveSession(deps, reply, session, user);
    return { success: true as const, userExists: session.existed, token: session.accessToken, user, message };
  };
  /** Only the server knows when the session ends, so it keeps the browser's cookie up to date. */
  const described = async (reply: FastifyReply, caller: SignedInCaller, user: User) => {
    const view = await describeUser(deps.db, user, caller.accounts);
    const seconds = Math.max(1, Math.floor(secondsBetween(deps.clock.now(), caller.sessionEndsAt)));
    setUserCookie(reply, seconds, view, deps.secureCookies);
    // Not for the cookie: it would be shown as if it were so now.
    return { ...view, service: await readService(deps, { ...caller, user }) };
  };
  return {
    async sendVerificationCode({ body, locale, request, reply }) {
      await takeCall(deps, request, reply, 'code');
      const device = rememberBrowser(request, reply, deps.secureCookies);
      const sent = await sendSignInCode(deps, body.email, device);
      const message = messages.sent[locale];
      return { success: true, userExists: null, ...describeSent(sent), message };
    },
    async verifyCode({ body, reply, locale, request }) {
      await takeCall(deps, request, reply, 'code');
      const signIn = 'token' in body ? tryLink(deps, request, body.token) : tryCode(deps, request, body);
      const session = await keepPending(deps, reply, signIn);
      const { name } = session.user;
      return await signedIn(reply, session, name ? messages.welcomeName[locale](name) : messages.welcome[locale]);
    },
    async completeRegistration({ body, reply, locale, request }) {
      await takeCall(deps, request, reply, 'code');
      const { email, fullName, verificationCode: code } = body;
      const signIn = tryCode(deps, request, { email, code, fullName });
      const session = await keepPending(deps, reply, signIn);
      const hasTrial = isInTrial(session.user, deps.clock.now());
      return await signedIn(reply, session, (hasTrial ? messages.profile : messages.profileOnly)[locale]);
    },
    async completeProfile({ body, caller, reply, locale, request }) {
      const now = deps.clock.now();
      const user = await inTransaction(deps.db, async (tx) => {
        const locked = await lockUser(tx, caller.user.id);
        if (locked.status !== 'incomplete' && locked.status !== 'active') throw new Refusal('forbidden');
        return await completeUserProfile(tx, deps.vault, locked, body.name, now);
      });
      const view = await described(reply, caller, user);
      const token = (request.headers.authorization ?? '').split(' ')[1] ?? '';
      const message = (isInTrial(user, now) ? messages.profile : messages.profileOnly)[locale];
      return { success: true, userExists: true, token, user: view, message };
    },
    async me({ caller, reply }) {
      return { success: true, user: await described(reply, caller, caller.user) };
    },
    async refresh({ body, request, reply }) {
      const inBody = body?.refreshToken;
      const presented = inBody ?? request.cookies[REFRESH_COOKIE];
      if (!presented) throw new Refusal('unauthenticated');
      const session = await refreshSession(deps, presented).catch((error: unknown) => {
        if (error instanceof Refusal && !inBody) clearSessionCookies(reply, deps.secureCookies);
        throw error;
      });
      const user = await describeUser(deps.db, session.user);
      if (!inBody) setSessionCookies(reply, session, user, deps.secureCookies);
      return {
        success: true,
        token: session.accessToken,
        user,
        ...(inBody ? { refreshToken: session.refreshToken } : {}),
      };
    },
    async logout({ request, reply }) {
      await endPresentedSession(deps, request);
      forgetBrowser(reply, deps.secureCookies);
      return { success: true };
    },
  };
}

/** Ends the session of the bearer token or of the refresh cookie, whichever is present; signing out never fails. */
async function endPresentedSession(deps: AuthDeps, request: FastifyRequest): Promise<void> {
  const bearer = (request.headers.authorization ?? '').split(' ')[1];
  const claims = bearer ? await deps.tokens.read(bearer) : undefined;
  if (claims) {
    const { userId, sessionId } = claims;
    await inTransaction(deps.db, (tx) => endSession(tx, deps, userId, sessionId, 'signed out'));
  }
  const cookie = request.cookies[REFRESH_COOKIE];
  if (!cookie) return;
  await inTransaction(deps.db, async (tx) => {
    const token = await lockRefreshToken(tx, hashToken(cookie));
    if (token) await endSession(tx, deps, token.user_id, token.session_id, 'signed out');
  });
}
