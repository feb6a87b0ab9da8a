import { limits } from '@raha/contract/limits.ts';
import type { password } from '@raha/contract/public/password.ts';
import type { FastifyRequest } from 'fastify';
import { commonHashes } from '../../platform/common-passwords.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { Refusal } from '../../platform/refusal.ts';
import { findUser } from '../accounts/users.ts';
import { authenticate, type SignedInCaller } from './caller.ts';
import { changePassword, forgotPassword, resetPassword } from './change-password.ts';
import { describeUser } from './describe-user.ts';
import { deviceOf, rememberBrowser } from './device.ts';
import { type AuthDeps, giveSession, messages } from './give-session.ts';
import { registerWithPassword } from './password-sign-in.ts';
import { keepPending } from './pending-cookie.ts';
import { completeRegistration, registerByMail, sendRegistrationCode } from './register-by-mail.ts';
import { describeSent } from './send-code.ts';
import { takeCall } from './take-call.ts';
import { tryLogin } from './try-login.ts';
import { type Asker, resendVerification, verifyEmail } from './verify-email.ts';

type Entering = Pick<typeof password, 'login' | 'register'>;
type Keeping = Omit<typeof password, keyof Entering>;

export function passwordRoutes(deps: AuthDeps): Handlers<typeof password, SignedInCaller, unknown> {
  return { ...enteringRoutes(deps), ...keepingRoutes(deps) };
}

function enteringRoutes(deps: AuthDeps): Handlers<Entering, SignedInCaller, unknown> {
  return {
    async login({ body, request, reply, locale }) {
      const { email, password, remember_me: rememberMe = false } = body;
      const signIn = tryLogin(deps, request, reply, { email, password, rememberMe });
      const outcome = await keepPending(deps, reply, signIn);
      const user = await describeUser(deps.db, outcome.user, outcome.accounts);
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
      await takeCall(deps, request, reply, 'register');
      const registration = { ...body, device: rememberBrowser(request, reply, deps.secureCookies) };
      // The answer "taken" reveals that an account exists, so it must not be usable to test a list of addresses. It is
      // counted before the lookup and uncounted if the address was free; beyond the limit every address is answered alike,
      // and by mail, so that nobody behind a shared address is kept from registering (decision 0050).
      const takeBack = deps.networkLimit.tryTake(request, 'taken', limits.registrationTakenPerHour);
      if (!takeBack) {
        const { user, temporaryToken, sent } = await registerByMail(deps, registration);
        const { code_length } = describeSent(sent);
        const message = messages.sent[locale];
        return {
          ...{ success: true, requires_verification: true, temp_token: temporaryToken, token: null, user, message },
          ...(code_length === undefined ? {} : { code_length }),
        };
      }
      const session = await registerWithPassword(deps, registration).catch((error: unknown) => {
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
    async commonPasswords({ params }) {
      return { success: true, hashes: commonHashes(params.prefix) };
    },
    async forgotPassword({ body, request, reply, locale }) {
      await takeCall(deps, request, reply, 'code');
      await forgotPassword(deps, body.email);
      return { success: true, message: messages.resetSent[locale] };
    },
    async resetPassword({ body, request, reply, locale }) {
      await takeCall(deps, request, reply, 'reset');
      await resetPassword(deps, body.token, body.password);
      return { success: true, message: messages.passwordChanged[locale] };
    },
    async verifyEmail({ body, request, reply, locale }) {
      const bearer = bearerOf(request);
      await takeCall(deps, request, reply, 'code');
      const registration = await deps.tokens.readRegistration(bearer);
      const device = deviceOf(request);
      const verification = registration
        ? completeRegistration(deps, registration, body, device).then((session) => ({ user: session.user, session }))
        : verifyEmail(deps, await askerOf(deps, request), body, device);
      const { user: verified, session } = await keepPending(deps, reply, verification);
      const user = await describeUser(deps.db, verified);
      if (session) giveSession(deps, reply, session, user);
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
      await takeCall(deps, request, reply, 'code');
      const device = rememberBrowser(request, reply, deps.secureCookies);
      const registration = await deps.tokens.readRegistration(bearerOf(request));
      const sent =
        registration?.email === body.email
          ? await sendRegistrationCode(deps, body.email, device)
          : await resendVerification(deps, body.email, device);
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
  const claims = await deps.tokens.readTemporary(bearerOf(request));
  const user = claims && (await findUser(deps.db, claims.userId));
  if (user) return { user, isSession: false, rememberMe: claims.rememberMe };
  return { user: (await authenticate(deps, request)).user, isSession: true, rememberMe: false };
}

/** The bearer token, empty if there is none. */
function bearerOf(request: FastifyRequest): string {
  return (request.headers.authorization ?? '').split(' ')[1] ?? '';
}
