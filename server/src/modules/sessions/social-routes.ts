import type { SocialProvider, social } from '@raha/contract/public/social.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Handlers } from '../../platform/http/mount.ts';
import { newSecret } from '../../platform/random.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { SignedInCaller } from './caller.ts';
import { describeUser } from './describe-user.ts';
import { deviceOf } from './device.ts';
import { type AuthDeps, giveSession, messages } from './give-session.ts';
import { keepPending } from './pending-cookie.ts';
import type { SignedIn } from './sign-in.ts';
import { type SocialAttempt, type SocialPort, signInSocially } from './social.ts';

/** The sealed state of a started sign-in, kept for ten minutes: only the browser that was sent away may come back. */
const COOKIE = 'social';
const CONTEXT = 'social-attempt';
const MINUTES = 10;

interface Begun extends SocialAttempt {
  readonly provider: SocialProvider;
  readonly at: number;
}

export function socialRoutes(deps: AuthDeps): Handlers<typeof social, SignedInCaller, unknown> {
  const leave = async (provider: SocialProvider, state: string | undefined, reply: FastifyReply) => {
    const port = portOf(deps, provider);
    const attempt: Begun = {
      provider: port.name,
      at: deps.clock.now().getTime(),
      redirectUri: redirectUriOf(deps, port.name),
      state: state ?? newSecret(),
      nonce: newSecret(),
      codeVerifier: newSecret(),
    };
    const url = await port.start(attempt).catch((error: unknown) => fail(deps, port, error));
    const shared = { path: '/api/v1/auth', httpOnly: true, secure: deps.secureCookies } as const;
    reply.setCookie(COOKIE, deps.vault.seal(JSON.stringify(attempt), CONTEXT), {
      ...shared,
      sameSite: 'lax',
      maxAge: MINUTES * 60,
    });
    return reply.header('cache-control', 'no-store').redirect(url.href, 303);
  };
  return {
    async listSocialProviders() {
      const ports = [...deps.socialPorts.values()];
      return {
        success: true,
        data: { providers: ports.map(({ name }) => name), test: ports.some((port) => port.test) },
      };
    },
    async startSocial({ params, query, request, reply }) {
      try {
        return await leave(params.provider, query.state, reply);
      } catch (error) {
        // The browser was redirected here and shows this answer as it is; only the page can explain an error.
        const wantsPage = request.headers.accept?.includes('text/html');
        if (!wantsPage || !(error instanceof Refusal)) throw error;
        return reply.redirect(failurePage(deps, error), 303);
      }
    },
    async googleOauth({ body, request, reply, locale }) {
      const port = portOf(deps, 'google');
      const returned = new URL(redirectUriOf(deps, 'google'));
      if (body.redirectUri !== returned.href) throw new Refusal('social_failed', { details: { provider: port.title } });
      for (const [name, value] of Object.entries({ code: body.code, state: body.state, iss: body.iss })) {
        if (value !== undefined) returned.searchParams.set(name, value);
      }
      const session = await finish(deps, port, returned, request, reply);
      const user = await describeUser(deps.db, session.user);
      giveSession(deps, reply, session, user);
      const { name } = session.user;
      const message = name && session.existed ? messages.welcomeName[locale](name) : messages.welcome[locale];
      return { success: true, token: session.accessToken, user, new_user: !session.existed, message };
    },
    async socialReturn({ params, request, reply }) {
      try {
        const port = portOf(deps, params.provider);
        const returned = new URL(request.url, deps.publicUrl);
        const error = returned.searchParams.get('error');
        // The user said no (RFC 6749 section 4.1.2.1); the page takes it as an answer.
        if (error === 'access_denied') return reply.redirect(`${deps.publicUrl}/auth/callback?error=${error}`, 303);
        if (error !== null) throw new Refusal('social_failed', { details: { provider: port.title } });
        const session = await finish(deps, port, returned, request, reply);
        giveSession(deps, reply, session, await describeUser(deps.db, session.user));
        const query = session.existed ? 'success=true' : 'success=true&new_user=true';
        return reply.redirect(`${deps.publicUrl}/auth/callback?${query}`, 303);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return reply.redirect(failurePage(deps, error), 303);
      }
    },
  };
}

function failurePage(deps: AuthDeps, { code }: Refusal): string {
  return `${deps.publicUrl}/auth/callback?error=${code}`;
}

function portOf(deps: AuthDeps, provider: SocialProvider): SocialPort {
  const port = deps.socialPorts.get(provider);
  if (!port) throw new Refusal('social_off');
  return port;
}

/** Google returns to a page of ours, which passes the code on; GitHub returns to the server. */
export function redirectUriOf(deps: Pick<AuthDeps, 'publicUrl'>, provider: SocialProvider): string {
  return provider === 'google'
    ? `${deps.publicUrl}/auth/google/callback`
    : `${deps.publicUrl}/api/v1/auth/social/${provider}/callback`;
}

async function finish(
  deps: AuthDeps,
  port: SocialPort,
  returned: URL,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn> {
  const begun = readBegun(deps, request.cookies[COOKIE]);
  // Valid once, whatever the outcome.
  reply.clearCookie(COOKIE, { path: '/api/v1/auth', httpOnly: true, secure: deps.secureCookies, sameSite: 'lax' });
  if (!begun || begun.provider !== port.name) return fail(deps, port, new Error('Invalid state parameter'));
  const profile = await port.finish(returned, begun).catch((error: unknown) => fail(deps, port, error));
  return await keepPending(deps, reply, signInSocially(deps, port, profile, deviceOf(request)));
}

function readBegun(deps: AuthDeps, cookie: string | undefined): Begun | undefined {
  if (!cookie) return undefined;
  try {
    const begun = JSON.parse(deps.vault.open(cookie, CONTEXT)) as Begun;
    return deps.clock.now().getTime() - begun.at < MINUTES * 60_000 ? begun : undefined;
  } catch {
    return undefined;
  }
}

function fail(deps: AuthDeps, port: SocialPort, error: unknown): never {
  deps.log.warn({ err: error, provider: port.name }, 'a social sign-in failed');
  throw new Refusal('social_failed', { details: { provider: port.title } });
}
