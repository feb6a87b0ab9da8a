import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { newId } from '../../platform/random.ts';
import { type Checked, checkSigned, type SigningKey } from './signed-redirect.ts';
import { signWebhook } from './standard-webhook.ts';
import { testStorePage, testStorePolicy } from './test-store-page.ts';

/**
 * The built-in test store: the other side of the contract, with a clearly marked page. It checks the signature, the
 * time and that the address was not used before, takes a card, notifies us by a signed webhook and sends the browser
 * back with the code. Never mounted in production, unless DEMO is on.
 */
export const TEST_STORE_PATH = '/dev/store';

export interface TestStoreOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicOrigin: string;
  readonly keyOf: (slug: string) => { key: SigningKey; webhookSecret: Buffer } | undefined;
  /** Takes a new card from stock. */
  readonly takeCard: (usdCents: number, note: string) => Promise<string>;
  /** Where we receive webhooks: the API's own address on this machine. */
  readonly webhookUrl: (slug: string) => string;
}

export const shelf = [200, 500, 1000, 2000] as const;

export async function testStore(app: FastifyInstance, options: TestStoreOptions): Promise<void> {
  app.get<{ Params: { slug: string } }>('/:slug', async (request, reply) => {
    const { slug } = request.params;
    const visit = check(options, slug, request);
    if (visit.kind === 'refused') return show(options, reply, 400, testStorePage({ slug, problem: visit.reason }));
    return show(options, reply, 200, testStorePage({ slug, query: queryOf(request).toString(), shelf }));
  });
  const config = { acceptsForms: true };
  app.post<{ Params: { slug: string; cents: string } }>('/:slug/buy/:cents', { config }, async (request, reply) => {
    const { slug, cents } = request.params;
    const visit = check(options, slug, request);
    const usdCents = shelf.find((price) => String(price) === cents);
    if (visit.kind === 'refused') return show(options, reply, 400, testStorePage({ slug, problem: visit.reason }));
    if (usdCents === undefined) return show(options, reply, 404, testStorePage({ slug, problem: 'unknown' }));
    if (!(await useNonce(options, slug, visit.nonce))) {
      return show(options, reply, 409, testStorePage({ slug, problem: 'used' }));
    }
    const code = await options.takeCard(usdCents, `test store ${slug}`);
    await tell(options, slug, { ref: visit.ref, order_id: `T-${visit.nonce.slice(0, 10)}`, gift_code: code });
    const back = new URL(visit.returnUrl);
    back.searchParams.set('gift_code', code);
    return reply.redirect(back.href, 303);
  });
}

function check(options: TestStoreOptions, slug: string, request: FastifyRequest): Checked {
  const keys = options.keyOf(slug);
  if (!keys) return { kind: 'refused', reason: 'signature' };
  return checkSigned(queryOf(request), keys.key, options.clock.now());
}

function queryOf(request: FastifyRequest): URLSearchParams {
  return new URL(request.url, 'http://store').searchParams;
}

async function useNonce({ db, clock }: TestStoreOptions, slug: string, nonce: string): Promise<boolean> {
  const result = await sql`
    INSERT INTO test_store_nonce (store, nonce, used_at) VALUES (${slug}, ${nonce}, ${clock.now()}) ON CONFLICT DO NOTHING
  `.execute(db);
  return result.numAffectedRows === 1n;
}

/** A webhook that is not accepted is no loss: the browser carries the code as well. */
async function tell(options: TestStoreOptions, slug: string, data: object): Promise<void> {
  const keys = options.keyOf(slug);
  if (!keys) return;
  const now = options.clock.now();
  const body = JSON.stringify({ type: 'order.paid', timestamp: now.toISOString(), data });
  const message = { id: `msg_${newId(now)}`, timestamp: String(Math.floor(now.getTime() / 1000)), body };
  await fetch(options.webhookUrl(slug), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': message.timestamp,
      'webhook-signature': signWebhook(keys.webhookSecret, message),
    },
    body,
    signal: AbortSignal.timeout(5_000),
  }).catch(() => undefined);
}

function show(options: TestStoreOptions, reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply
    .code(status)
    .header('content-security-policy', testStorePolicy(options.publicOrigin))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(page);
}
