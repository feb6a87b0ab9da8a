import type { Locale } from '@raha/contract/locale.ts';
import type { factorSignIn } from '@raha/contract/public/factors.ts';
import type { FastifyReply } from 'fastify';
import type { Handlers } from '../../platform/http/mount.ts';
import type { SignedInCaller } from './caller.ts';
import { describeUser } from './describe-user.ts';
import { deviceOf, rememberBrowser } from './device.ts';
import { type AuthDeps, giveSession, messages } from './give-session.ts';
import { offerPasskeySignIn, signInWithPasskey } from './passkey-sign-in.ts';
import { forgetPending, readPendingToken } from './pending-cookie.ts';
import { completeSecondStep, offerSecondStepPasskey, readSecondStep } from './second-step.ts';
import type { SignedIn } from './sign-in.ts';
import { takeCall } from './take-call.ts';

/** Signing in with a passkey alone, and the second step after a password, code or provider. */
export function factorSignInRoutes(deps: AuthDeps): Handlers<typeof factorSignIn, SignedInCaller, unknown> {
  const signedIn = async (reply: FastifyReply, session: SignedIn, locale: Locale) => {
    const user = await describeUser(deps.db, session.user);
    giveSession(deps, reply, session, user);
    forgetPending(reply, deps.secureCookies);
    const { name } = session.user;
    const message = name ? messages.welcomeName[locale](name) : messages.welcome[locale];
    return { success: true as const, token: session.accessToken, user, message };
  };
  return {
    async startPasskeySignIn({ request, reply }) {
      await takeCall(deps, request, reply, 'passkey');
      const device = rememberBrowser(request, reply, deps.secureCookies);
      return { success: true, data: { options: await offerPasskeySignIn(deps, device) } };
    },
    async signInWithPasskey({ body, request, reply, locale }) {
      await takeCall(deps, request, reply, 'passkey');
      return await signedIn(reply, await signInWithPasskey(deps, body.credential, deviceOf(request)), locale);
    },
    async getSecondStep({ request }) {
      return { success: true, data: await readSecondStep(deps, readPendingToken(request)) };
    },
    async startSecondStepPasskey({ request, reply }) {
      await takeCall(deps, request, reply, 'passkey');
      return { success: true, data: { options: await offerSecondStepPasskey(deps, readPendingToken(request)) } };
    },
    async completeSecondStep({ body, request, reply, locale }) {
      await takeCall(deps, request, reply, 'login');
      const session = await completeSecondStep(deps, readPendingToken(request), body, deviceOf(request));
      return await signedIn(reply, session, locale);
    },
  };
}
