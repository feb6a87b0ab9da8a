import { createHash } from 'node:crypto';
import { cleanEmail } from '@raha/contract/persian.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { newSecret } from '../../platform/random.ts';
import { testProviderPage, testProviderPolicy } from './test-provider-page.ts';

/**
 * What the test Google and the test GitHub have in common: the browser's part of the code flow (RFC 6749 section 4.1, with
 * PKCE as in RFC 7636) on a clearly marked page, where the user writes who they are. One process remembers its codes.
 */
export const TEST_CLIENT = { clientId: 'test', clientSecret: 'test-provider' } as const;
const CODE_MS = 60_000;

export interface TestProviderDeps {
  readonly clock: Clock;
  readonly publicOrigin: string;
  /** The only address to which the browser is sent back. */
  readonly redirectUri: () => string;
}

export interface TestAccount {
  readonly email: string;
  readonly name: string;
}

/** What a code stands for. */
export interface TestGrant extends TestAccount {
  readonly nonce: string | undefined;
}

export interface TestProvider {
  /** Redeems a code, once; undefined for anything but the call of the client that it was given to. */
  redeem(fields: Readonly<Record<string, string>>): TestGrant | undefined;
}

/** Serves the page at `path`. `issuer` is named in the answer (RFC 9207), where the provider does so. */
export function serveTestProvider(
  app: FastifyInstance,
  deps: TestProviderDeps,
  { path, title, issuer }: { path: string; title: string; issuer?: () => string },
): TestProvider {
  const codes = createShortMemory<TestGrant & { challenge: string }>(deps.clock);
  app.get(path, async (request, reply) => {
    const asked = readRequest(deps, request);
    if (!asked) return show(deps, reply, 400, testProviderPage({ title, problem: 'client' }));
    return show(deps, reply, 200, testProviderPage({ title, action: request.url }));
  });
  app.post(path, { config: { acceptsForms: true } }, async (request, reply) => {
    const asked = readRequest(deps, request);
    if (!asked) return show(deps, reply, 400, testProviderPage({ title, problem: 'client' }));
    const { answer, email = '', name = '' } = (request.body ?? {}) as Record<string, string>;
    const back = new URL(deps.redirectUri());
    back.searchParams.set('state', asked.state);
    if (issuer) back.searchParams.set('iss', issuer());
    if (answer !== 'allow') {
      back.searchParams.set('error', 'access_denied');
      return reply.redirect(back.href, 303);
    }
    const address = cleanEmail(email);
    if (!/^[^\s@]+@[^\s@]+$/.test(address))
      return show(deps, reply, 400, testProviderPage({ title, problem: 'email' }));
    const { nonce, challenge } = asked;
    back.searchParams.set('code', codes.keep({ email: address, name, nonce, challenge }));
    return reply.redirect(back.href, 303);
  });
  return {
    redeem(fields) {
      const grant = codes.take(fields.code ?? '');
      const verifier = createHash('sha256')
        .update(fields.code_verifier ?? '')
        .digest('base64url');
      const isTheirs =
        fields.client_id === TEST_CLIENT.clientId &&
        fields.client_secret === TEST_CLIENT.clientSecret &&
        fields.redirect_uri === deps.redirectUri();
      return grant && isTheirs && verifier === grant.challenge ? grant : undefined;
    },
  };
}

/** Undefined for a request that our own server did not make: such a browser is sent nowhere (RFC 6749 section 4.1.2.1). */
function readRequest(deps: TestProviderDeps, request: FastifyRequest) {
  const query = new URL(request.url, 'http://provider').searchParams;
  const challenge = query.get('code_challenge') ?? '';
  const isOurs =
    query.get('client_id') === TEST_CLIENT.clientId &&
    query.get('redirect_uri') === deps.redirectUri() &&
    query.get('code_challenge_method') === 'S256' &&
    challenge !== '';
  if (!isOurs) return undefined;
  return { challenge, state: query.get('state') ?? '', nonce: query.get('nonce') ?? undefined };
}

function show({ publicOrigin }: TestProviderDeps, reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply
    .code(status)
    .header('content-security-policy', testProviderPolicy(publicOrigin))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page);
}

/** Things under secret names, for a minute. */
export interface ShortMemory<T> {
  keep(thing: T): string;
  find(name: string): T | undefined;
  /** The same, once. */
  take(name: string): T | undefined;
}

export function createShortMemory<T>(clock: Clock): ShortMemory<T> {
  const kept = new Map<string, { thing: T; until: number }>();
  const now = () => clock.now().getTime();
  const find = (name: string) => {
    const found = kept.get(name);
    return found && found.until > now() ? found.thing : undefined;
  };
  return {
    keep(thing) {
      for (const [name, { until }] of kept) if (until <= now()) kept.delete(name);
      const name = newSecret();
      kept.set(name, { thing, until: now() + CODE_MS });
      return name;
    },
    find,
    take(name) {
      const found = find(name);
      kept.delete(name);
      return found;
    },
  };
}

/** The same for the same address, and like nothing that the real provider would say. */
export function digestOf(account: TestAccount): Buffer {
  return createHash('sha256').update(account.email).digest();
}
