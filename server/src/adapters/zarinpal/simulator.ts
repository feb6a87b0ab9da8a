import type { FastifyInstance, FastifyReply } from 'fastify';
import { sql } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { newBytes } from '../../platform/random.ts';
import { testBankPage, testBankPolicy } from './test-bank-page.ts';

/**
 * The built-in test bank: Zarinpal's wire protocol with a clearly marked payer page, for a fresh machine and for tests.
 * Sessions live in the database, because a payer may come back after a restart. Never mounted in production.
 */
export const SIMULATOR_PATH = '/dev/bank/zarinpal';

interface Session {
  readonly authority: string;
  readonly merchant: string;
  readonly amount_rial: bigint;
  readonly callback_url: string;
  readonly state: 'IN_BANK' | 'PAID' | 'VERIFIED' | 'FAILED' | 'REVERSED';
  readonly ref_id: string | null;
}

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly publicOrigin: string;
}

export async function zarinpalSimulator(app: FastifyInstance, deps: Deps): Promise<void> {
  app.addContentTypeParser('application/x-www-form-urlencoded', (_request, _payload, done) => done(null, {}));
  app.post('/pg/v4/payment/request.json', (request, reply) =>
    start(deps, request.body as Record<string, unknown>, reply),
  );
  app.post('/pg/v4/payment/verify.json', (request, reply) =>
    verify(deps, request.body as Record<string, unknown>, reply),
  );
  app.post('/pg/v4/payment/inquiry.json', async (request, reply) => {
    const session = await find(deps.db, (request.body as Record<string, unknown>).authority);
    if (!session) return fail(reply, -54, 'Invalid authority.');
    return ok(reply, { code: 100, message: 'Success', status: session.state });
  });
  app.post('/pg/v4/payment/unVerified.json', async (_request, reply) => {
    const found = await sql<Session>`SELECT * FROM bank_simulator_session WHERE state = 'PAID' LIMIT 100`.execute(
      deps.db,
    );
    const authorities = found.rows.map((s) => ({
      authority: s.authority,
      amount: Number(s.amount_rial),
      callback_url: s.callback_url,
    }));
    return ok(reply, { code: '100', message: 'Success', authorities });
  });
  app.get<{ Params: { authority: string } }>('/pg/StartPay/:authority', async (request, reply) => {
    const session = await find(deps.db, request.params.authority);
    reply.header('content-security-policy', testBankPolicy(deps.publicOrigin)).type('text/html; charset=utf-8');
    if (!session) return reply.code(404).send(testBankPage(undefined));
    return reply.send(
      testBankPage({
        authority: session.authority,
        amountRial: Number(session.amount_rial),
        open: session.state === 'IN_BANK',
      }),
    );
  });
  for (const [action, state, status] of [
    ['pay', 'PAID', 'OK'],
    ['cancel', 'FAILED', 'NOK'],
  ] as const) {
    app.post<{ Params: { authority: string } }>(`/pg/StartPay/:authority/${action}`, async (request, reply) => {
      await sql`
        UPDATE bank_simulator_session SET state = ${state} WHERE authority = ${request.params.authority} AND state = 'IN_BANK'
      `.execute(deps.db);
      const session = await find(deps.db, request.params.authority);
      if (!session) return reply.code(404).type('text/html; charset=utf-8').send(testBankPage(undefined));
      const url = new URL(session.callback_url);
      url.searchParams.set('Authority', session.authority);
      url.searchParams.set('Status', session.state === 'FAILED' ? 'NOK' : status);
      return reply.redirect(url.href, 303);
    });
  }
}

async function start(deps: Deps, body: Record<string, unknown>, reply: FastifyReply) {
  const rial = Number(body.amount) * (body.currency === 'IRT' ? 10 : 1);
  const description = String(body.description ?? '');
  const valid =
    /^[0-9a-f-]{36}$/i.test(String(body.merchant_id)) &&
    Number.isSafeInteger(rial) &&
    rial >= 10_000 &&
    URL.canParse(String(body.callback_url)) &&
    description.length >= 1 &&
    description.length <= 500;
  if (!valid) return fail(reply, -9, 'The input params invalid, validation error.');
  if (rial > 1_000_000_000) return fail(reply, -41, 'Maximum amount is 100,000,000 toman.');
  const authority = `S${newBytes(18).toString('hex').slice(0, 35)}`;
  await sql`
    INSERT INTO bank_simulator_session (authority, gateway, merchant, amount_rial, callback_url, description, state, created_at)
    VALUES (${authority}, 'zarinpal', ${body.merchant_id}, ${rial}, ${body.callback_url}, ${description}, 'IN_BANK', ${deps.clock.now()})
  `.execute(deps.db);
  return ok(reply, { code: 100, message: 'Success', authority, fee_type: 'Merchant', fee: 100 });
}

async function verify(deps: Deps, body: Record<string, unknown>, reply: FastifyReply) {
  const session = await find(deps.db, body.authority);
  if (!session) return fail(reply, -54, 'Invalid authority.');
  if (session.merchant !== body.merchant_id) return fail(reply, -53, 'Session is not this merchant_id session.');
  if (session.state === 'IN_BANK' || session.state === 'FAILED')
    return fail(reply, -51, 'Session is not active paid try.');
  if (session.state === 'REVERSED') return fail(reply, -51, 'Session is reversed.');
  if (session.amount_rial !== BigInt(Number(body.amount)))
    return fail(reply, -50, 'Session is not valid, amounts values is not the same.');
  const refId = session.ref_id ?? String(newBytes(5).readUIntBE(0, 5) + 10_000_000_000);
  await sql`
    UPDATE bank_simulator_session SET state = 'VERIFIED', ref_id = ${refId} WHERE authority = ${session.authority} AND ref_id IS NULL
  `.execute(deps.db);
  const stored = await find(deps.db, session.authority);
  const code = session.state === 'VERIFIED' ? 101 : 100;
  return ok(reply, {
    code,
    message: code === 100 ? 'Paid' : 'Verified',
    card_hash: '1EBE3EBEBE35C7EC0F8D6EE4F2F859107A87822CA179BC9528767EA7B5489B69',
    card_pan: '502229******5995',
    ref_id: Number(stored?.ref_id ?? refId),
    fee_type: 'Merchant',
    fee: 0,
  });
}

async function find(db: Database, authority: unknown): Promise<Session | undefined> {
  if (typeof authority !== 'string') return undefined;
  return (await sql<Session>`SELECT * FROM bank_simulator_session WHERE authority = ${authority}`.execute(db)).rows[0];
}

function ok(reply: FastifyReply, data: object) {
  return reply.send({ data, errors: [] });
}

/** The bank answers errors in more than one envelope; so does its simulator, by the code. */
function fail(reply: FastifyReply, code: number, message: string) {
  if (code === -54)
    return reply.code(200).send({ message: 'Invalid authority', errors: { authority: [message, String(code)] } });
  if (code === -53) return reply.code(401).send({ data: {}, errors: [{ code, message }] });
  return reply.code(422).send({ data: [], errors: { code, message, validations: [] } });
}
