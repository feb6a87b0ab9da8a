import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import type { FastifyInstance } from 'fastify';
import { newBytes } from '../../platform/random.ts';
import { type BankAnswer, type BankDeps, type BankFields, newReference, serveCall, servePayerPage } from './serve.ts';
import { type BankSession, findSession, moveSession, openSession } from './sessions.ts';
import { serveSettlementFile } from './settlement.ts';

/** The test key; any other is unknown (403, code 12). */
export const IDPAY_TEST_KEY = '6a7f99eb-7c20-4412-a972-6dfb7cd253a4';
/** A paid payment that is not verified by then returns to the payer. */
const VERIFY_MINUTES = 10;

/** The test bank that speaks IDPay v1.1: 201 on create, numbers as text, statuses 10 → 100 → 101. */
export async function idpayTestBank(app: FastifyInstance, deps: BankDeps & { pageUrl: () => string }): Promise<void> {
  serveCall(app, deps, 'idpay', '/v1.1/payment', 'start', (fields, request) =>
    guarded(request.headers['x-api-key'], () => create(deps, fields)),
  );
  serveCall(app, deps, 'idpay', '/v1.1/payment/verify', 'verify', (fields, request) =>
    guarded(request.headers['x-api-key'], () => verify(deps, fields)),
  );
  serveCall(app, deps, 'idpay', '/v1.1/payment/inquiry', 'inquiry', (fields, request) =>
    guarded(request.headers['x-api-key'], async () => {
      const session = await find(deps, fields);
      return session
        ? { status: 200, body: describe(session, statuses[session.state]) }
        : error(400, 52, 'استعلام نتیجه‌ای نداشت.');
    }),
  );
  serveSettlementFile(app, deps, 'idpay');
  servePayerPage(app, deps, {
    gateway: 'idpay',
    title: gatewayTitles.idpay.fa,
    path: '/p/ws/:authority',
    bringBack: (session) => ({
      status: session.state === 'FAILED' ? '7' : String(statuses[session.state]),
      track_id: trackOf(session),
      id: session.reference,
      order_id: session.order_id,
    }),
  });
}

const statuses = { IN_BANK: 1, PAID: 10, VERIFIED: 100, FAILED: 7, REVERSED: 5 } as const;

async function guarded(key: unknown, answer: () => Promise<BankAnswer>): Promise<BankAnswer> {
  return key === IDPAY_TEST_KEY ? await answer() : error(403, 12, 'کلید API یافت نشد.');
}

async function find(deps: BankDeps, fields: BankFields): Promise<BankSession | undefined> {
  const session = await findSession(deps.db, 'idpay', fields.id);
  return session?.order_id === fields.order_id ? session : undefined;
}

async function create(deps: BankDeps & { pageUrl: () => string }, fields: BankFields): Promise<BankAnswer> {
  const rial = Number(fields.amount);
  const orderId = String(fields.order_id ?? '');
  if (orderId === '' || orderId.length > 50) return error(406, 32, 'شماره سفارش نباید خالی باشد.');
  if (!Number.isSafeInteger(rial)) return error(406, 33, 'مبلغ نباید خالی باشد.');
  if (rial < 1_000) return error(406, 34, 'مبلغ کمتر از حد مجاز است.');
  if (rial > 500_000_000) return error(406, 35, 'مبلغ بیشتر از حد مجاز است.');
  if (!URL.canParse(String(fields.callback))) return error(406, 39, 'نشانی بازگشت نامعتبر است.');
  const authority = newBytes(16).toString('hex');
  await openSession(
    deps.db,
    'idpay',
    {
      authority,
      merchant: IDPAY_TEST_KEY,
      amountRial: rial,
      callbackUrl: String(fields.callback),
      description: String(fields.desc ?? ''),
      orderId,
    },
    deps.clock.now(),
  );
  return { status: 201, body: { id: authority, link: `${deps.pageUrl()}/p/ws/${authority}` } };
}

async function verify(deps: BankDeps, fields: BankFields): Promise<BankAnswer> {
  const session = await find(deps, fields);
  if (!session) return error(405, 53, 'تأیید پرداخت امکان‌پذیر نیست.');
  if (session.state === 'VERIFIED') return { status: 200, body: describe(session, 101) };
  if (session.state !== 'PAID') return error(405, 53, 'تأیید پرداخت امکان‌پذیر نیست.');
  if (deps.clock.now().getTime() - (session.paid_at?.getTime() ?? 0) > VERIFY_MINUTES * 60_000) {
    await moveSession(deps.db, session.reference, 'PAID', 'REVERSED', null);
    return error(405, 54, 'مدت زمان تأیید پرداخت سپری شده است.');
  }
  const first = await moveSession(deps.db, session.reference, 'PAID', 'VERIFIED', newReference());
  const stored = (await find(deps, fields)) ?? session;
  return { status: 200, body: describe(stored, first ? 100 : 101) };
}

/** This protocol often sends numbers as text. */
function describe(session: BankSession, status: number): object {
  const date = String(Math.floor((session.paid_at ?? session.created_at).getTime() / 1000));
  return {
    status: String(status),
    track_id: trackOf(session),
    id: session.reference,
    order_id: session.order_id,
    amount: String(session.amount_rial),
    date,
    payment: {
      track_id: trackOf(session),
      amount: String(session.amount_rial),
      card_no: '502229******5995',
      hashed_card_no: '1EBE3EBEBE35C7EC0F8D6EE4F2F859107A87822CA179BC9528767EA7B5489B69',
      date,
    },
    verify: { date },
  };
}

function trackOf(session: BankSession): string {
  return session.ref_id ?? String(Number.parseInt(session.reference.slice(0, 8), 16));
}

function error(status: number, error_code: number, error_message: string): BankAnswer {
  return { status, body: { error_code, error_message } };
}
