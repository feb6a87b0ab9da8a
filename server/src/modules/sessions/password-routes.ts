import { limits } from '@raha/contract/limits.ts';
import type { password } from '@raha/contract/public/password.ts';
import type { FastifyRequest } from 'fastify';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findUser } from '../accounts/users.ts';
import { authenticate, type SignedInCaller } from './caller.ts';
import { changePassword, forgotPassword, resetPassword } from './change-password.ts';
import { describeUser } from './describe-user.ts';
import { deviceOf, rememberBrowser } from './device.ts';
import { type AuthDeps, giveSession, messages } from './give-session.ts';
import { registerWithPassword, signInWithPassword } from './password-sign-in.ts';
import { keepPending } from './pending-cookie.ts';
import { describeSent } from './send-code.ts';
import { type Asker, resendVerification, verifyEmail } from './verify-email.ts';

type Entering = Pick<typeof password, 'login' | 'register'>;
type Keeping = Omit<typeof password, keyof Entering>;

export function passwordRoutes(deps: AuthDeps): Handlers<typeof password, SignedInCaller, unknown> {
  return { ...enteringRoutes(deps), ...keepingRoutes(deps) };
}

function enteringRoutes(deps: AuthDeps): Handlers<Entering, SignedInCaller, unknown> {
  return {
    async login({ body, request, reply, locale }) {
      deps.networkLimit.take(request, 'login');
      const signIn = signInWithPassword(deps, {
        email: body.email,
        password: body.password,
        rememberMe: body.remember_me ?? false,
        device: deviceOf(request),
      });
      const outcome = await keepPending(deps, reply, signIn);
      const user = await describeUser(deps.db, outcome.user);
      if (outcome.kind === 'unverified') {
        const message = messages.verifyFirst[locale];
        return {
          success: true,
          requires_verification: true,
          temp_token: outcome.temporaryToken,
          token: null,
          user,
          message,
        };
      }
      giveSession(deps, reply, outcome, user);
      const message = messages.welcomeName[locale](outcome.user.name);
      return {
        success: true,
        requires_verification: false,
        temp_token: null,
        token: outcome.accessToken,
        user,
        message,
      };
    },
    async register({ body, request, reply, locale }) {
      deps.networkLimit.take(request, 'register');
      // The answer "taken" reveals that an account exists, so it must not be usable to test a list of addresses. It is
      // counted before the lookup and uncounted if the address was free; beyond the limit the answer is the same for
      // every address.
      const takeBack = deps.networkLimit.take(request, 'taken', limits.registrationTakenPerHour);
      const session = await registerWithPassword(deps, {
        ...body,
        device: rememberBrowser(request, reply, deps.secureCookies),
      }).catch((error: unknown) => {
        if (!(error instanceof Refusal && error.code === 'email_taken')) takeBack();
        throw error;
      });
      takeBack();
      const user = await describeUser(deps.db, session.user);
      giveSession(deps, reply, session, user);
      const message = messages.registered[locale];
      return {
        success: true,
        requires_verification: false,
        temp_token: null,
        token: session.accessToken,
        user,
        message,
      };
    },
  };
}

function keepingRoutes(deps: AuthDeps): Handlers<Keeping, SignedInCaller, unknown> {
  return {
    async forgotPassword({ body, request, locale }) {
      deps.networkLimit.take(request, 'code');
      await forgotPassword(deps, body.email);
      return { success: true, message: messages.resetSent[locale] };
    },
    async resetPassword({ body, request, locale }) {
      deps.networkLimit.take(request, 'reset');
      await resetPassword(deps, body.token, body.password);
      return { success: true, message: messages.passwordChanged[locale] };
    },
    async verifyEmail({ body, request, reply, locale }) {
      const asker = await askerOf(deps, request);
      const verification = verifyEmail(deps, asker, body, deviceOf(request));
      const { user: verified, session } = await keepPending(deps, reply, verification);
      const user = await describeUser(deps.db, verified);
      if (session) giveSession(deps, reply, session, user);
      const bearer = (request.headers.authorization ?? '').split(' ')[1] ?? '';
      return {
        success: true,
        requires_verification: false,
        temp_token: null,
        token: session?.accessToken ?? bearer,
        user,
        message: messages.verified[locale],
      };
    },
    async resendVerification({ body, request, reply, locale }) {
      deps.networkLimit.take(request, 'code');
      const device = rememberBrowser(request, reply, deps.secureCookies);
      const sent = await resendVerification(deps, body.email, device);
      const message = messages.resent[locale];
      return { success: true, ...describeSent(sent), message };
    },
    async changePassword({ body, caller, locale }) {
      await changePassword(deps, caller, { current: body.current_password, password: body.password });
      return { success: true, message: messages.passwordChanged[locale] };
    },
  };
}

/** Whose address is proved: the user of a session, or of the temporary token that a log-in returned. */
async function askerOf(deps: AuthDeps, request: FastifyRequest): Promise<Asker> {
  const bearer = (request.headers.authorization ?? '').split(' ')[1];
  const claims = bearer ? await deps.tokens.readTemporary(bearer) : undefined;
  const user = claims && (await findUser(deps.db, claims.userId));
  if (user) return { user, isSession: false, rememberMe: claims.rememberMe };
  return { user: (await authenticate(deps, request)).user, isSession: true, rememberMe: false };
}
