import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import type { FastifyInstance } from 'fastify';
import { newBytes } from '../../platform/random.ts';
import { type BankAnswer, type BankDeps, type BankFields, newReference, serveCall, servePayerPage } from './serve.ts';
import { findSession, listPaid, moveSession, openSession } from './sessions.ts';
import { serveSettlementFile } from './settlement.ts';
import { zarinpalPanel } from './zarinpal-panel.ts';

/**
 * The test bank that speaks Zarinpal REST v4. Its errors come in all envelopes seen in practice, with the statuses 200,
 * 401 and 422, because clients differ in what they expect.
 */
export async function zarinpalTestBank(app: FastifyInstance, deps: BankDeps): Promise<void> {
  const call = (name: string, kind: Parameters<typeof serveCall>[4], answer: Parameters<typeof serveCall>[5]) =>
    serveCall(app, deps, 'zarinpal', `/pg/v4/payment/${name}.json`, kind, answer);
  call('request', 'start', (fields) => start(deps, fields));
  call('verify', 'verify', (fields) => verify(deps, fields));
  call('reverse', 'refund', (fields) => reverse(deps, fields));
  call('inquiry', 'inquiry', async ({ authority }) => {
    const session = await findSession(deps.db, 'zarinpal', authority);
    if (!session) return fail(-54, 'Invalid authority.');
    return ok({ code: 100, message: 'Success', status: session.state });
  });
  call('unVerified', 'list', async () => {
    const authorities = (await listPaid(deps.db, 'zarinpal')).map((session) => ({
      authority: session.reference,
      amount: Number(session.amount_rial),
      callback_url: session.callback_url,
      referer: '',
      date: (session.paid_at ?? session.created_at).toISOString().slice(0, 19).replace('T', ' '),
    }));
    return ok({ code: '100', message: 'Success', authorities });
  });
  zarinpalPanel(app, deps);
  serveSettlementFile(app, deps, 'zarinpal');
  servePayerPage(app, deps, {
    gateway: 'zarinpal',
    title: gatewayTitles.zarinpal.fa,
    path: '/pg/StartPay/:authority',
    bringBack: ({ reference, state }) => ({ Authority: reference, Status: state === 'FAILED' ? 'NOK' : 'OK' }),
  });
}

async function start(deps: BankDeps, fields: BankFields): Promise<BankAnswer> {
  const rial = Number(fields.amount) * (fields.currency === 'IRT' ? 10 : 1);
  const description = String(fields.description ?? '');
  const merchant = String(fields.merchant_id);
  const callbackUrl = String(fields.callback_url);
  const valid =
    /^[0-9a-f-]{36}$/i.test(merchant) &&
    Number.isSafeInteger(rial) &&
    rial >= 10_000 &&
    URL.canParse(callbackUrl) &&
    description.length >= 1 &&
    description.length <= 500;
  if (!valid) return fail(-9, 'The input params invalid, validation error.');
  if (rial > 1_000_000_000) return fail(-41, 'Maximum amount is 100,000,000 toman.');
  const authority = `S${newBytes(18).toString('hex').slice(0, 35)}`;
  const orderId = String((fields.metadata as { order_id?: unknown } | undefined)?.order_id ?? '');
  const session = { authority, merchant, amountRial: rial, callbackUrl, description, orderId };
  await openSession(deps.db, 'zarinpal', session, deps.clock.now());
  return ok({ code: 100, message: 'Success', authority, fee_type: 'Merchant', fee: 100 });
}

async function verify(deps: BankDeps, fields: BankFields): Promise<BankAnswer> {
  const session = await findSession(deps.db, 'zarinpal', fields.authority);
  if (!session) return fail(-54, 'Invalid authority.');
  if (session.merchant !== fields.merchant_id) return fail(-53, 'Session is not this merchant_id session.');
  if (session.state !== 'PAID' && session.state !== 'VERIFIED') return fail(-51, 'Session is not active paid try.');
  if (session.amount_rial !== BigInt(Number(fields.amount) || 0))
    return fail(-50, 'Session is not valid, amounts values is not the same.');
  const first = await moveSession(deps.db, session.reference, 'PAID', 'VERIFIED', newReference());
  const stored = await findSession(deps.db, 'zarinpal', session.reference);
  return ok({
    code: first ? 100 : 101,
    message: first ? 'Paid' : 'Verified',
    card_hash: '1EBE3EBEBE35C7EC0F8D6EE4F2F859107A87822CA179BC9528767EA7B5489B69',
    card_pan: '502229******5995',
    ref_id: Number(stored?.ref_id),
    fee_type: 'Merchant',
    fee: 0,
    shaparak_fee: '1200',
    order_id: session.order_id,
    wages: first ? [] : null,
  });
}

async function reverse(deps: BankDeps, fields: BankFields): Promise<BankAnswer> {
  const session = await findSession(deps.db, 'zarinpal', fields.authority);
  if (!session) return fail(-54, 'Invalid authority.');
  if (session.merchant !== fields.merchant_id) return fail(-53, 'Session is not this merchant_id session.');
  const paidAt = session.paid_at?.getTime() ?? 0;
  if (session.state === 'VERIFIED' && deps.clock.now().getTime() - paidAt > 30 * 60_000)
    return fail(-63, 'The 30 minutes to reverse have passed.');
  if (session.refunded_rial > 0n || !(await moveSession(deps.db, session.reference, 'VERIFIED', 'REVERSED', null)))
    return fail(-61, 'Session is not in success status or already reversed.');
  return ok({ code: 100, message: 'Reversed' });
}

function ok(data: object): BankAnswer {
  return { status: 200, body: { data, errors: [] } };
}

function fail(code: number, message: string): BankAnswer {
  if (code === -54)
    return { status: 200, body: { message: 'Invalid authority', errors: { authority: [message, String(code)] } } };
  if (code === -53) return { status: 401, body: { data: {}, errors: [{ code, message }] } };
  return { status: code === -51 ? 200 : 422, body: { data: [], errors: { code, message, validations: [] } } };
}
