import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import type { FastifyInstance } from 'fastify';
import { newId } from '../../platform/random.ts';
import { type BankAnswer, type BankDeps, type BankFields, newReference, serveCall, servePayerPage } from './serve.ts';
import { type BankSession, findSession, moveSession, openSession } from './sessions.ts';
import { serveSettlementFile } from './settlement.ts';

/**
 * Minutes until a paid, unverified payment returns to the payer; the next constant is how long a verified one can be
 * refunded.
 */
const VERIFY_MINUTES = 10;
const REFUND_MINUTES = 20;

/** The test bank that speaks NextPay: forms and JSON in, toman unless `currency` says IRR, -1 for a granted token. */
export async function nextpayTestBank(app: FastifyInstance, deps: BankDeps): Promise<void> {
  serveCall(app, deps, 'nextpay', '/nx/gateway/token', 'start', (fields) => token(deps, fields));
  const callOf = (fields: BankFields) => (fields.refund_request ? 'refund' : 'verify');
  serveCall(app, deps, 'nextpay', '/nx/gateway/verify', callOf, (fields) => verify(deps, fields));
  serveSettlementFile(app, deps, 'nextpay');
  servePayerPage(app, deps, {
    gateway: 'nextpay',
    title: gatewayTitles.nextpay.fa,
    path: '/nx/gateway/payment/:authority',
    bringBack: ({ reference, order_id, amount_rial }) => ({
      trans_id: reference,
      order_id,
      amount: String(amount_rial / 10n),
    }),
  });
}

function rialOf(fields: BankFields): number {
  return Number(fields.amount) * (fields.currency === 'IRR' ? 1 : 10);
}

async function token(deps: BankDeps, fields: BankFields): Promise<BankAnswer> {
  const rial = rialOf(fields);
  if (!fields.api_key) return code(-20);
  if (!Number.isSafeInteger(rial)) return code(-24);
  if (rial < 1_000) return code(-30);
  if (typeof fields.order_id !== 'string' || fields.order_id === '') return code(-36);
  if (!URL.canParse(String(fields.callback_uri))) return code(-32);
  const authority = newId(deps.clock.now());
  await openSession(
    deps.db,
    'nextpay',
    {
      authority,
      merchant: String(fields.api_key),
      amountRial: rial,
      callbackUrl: String(fields.callback_uri),
      description: String(fields.payer_desc ?? ''),
      orderId: fields.order_id,
    },
    deps.clock.now(),
  );
  return code(-1, { trans_id: authority });
}

async function verify(deps: BankDeps, fields: BankFields): Promise<BankAnswer> {
  const session = await findSession(deps.db, 'nextpay', fields.trans_id);
  if (!session) return code(-37);
  if (session.merchant !== fields.api_key) return code(-33);
  const minutes = session.paid_at ? (deps.clock.now().getTime() - session.paid_at.getTime()) / 60_000 : 0;
  if (fields.refund_request) return await refund(deps, session, fields, minutes);
  if (session.state === 'IN_BANK') return code(-1);
  if (session.state === 'FAILED') return code(-4);
  if (session.state === 'REVERSED') return code(-2);
  if (session.amount_rial !== BigInt(rialOf(fields) || 0)) return code(-24);
  if (session.state === 'VERIFIED') return code(-49);
  if (minutes > VERIFY_MINUTES) {
    await moveSession(deps.db, session.reference, 'PAID', 'REVERSED', null);
    return code(-2);
  }
  const reference = newReference();
  if (!(await moveSession(deps.db, session.reference, 'PAID', 'VERIFIED', reference))) return code(-49);
  return code(0, {
    amount: Number(fields.amount),
    order_id: session.order_id,
    card_holder: '5022-29**-****-5995',
    customer_phone: null,
    Shaparak_Ref_Id: reference,
    custom: {},
  });
}

async function refund(deps: BankDeps, session: BankSession, fields: BankFields, minutes: number): Promise<BankAnswer> {
  if (fields.refund_request !== 'yes_money_back') return code(-29);
  if (session.amount_rial !== BigInt(rialOf(fields) || 0)) return code(-24);
  if (minutes > REFUND_MINUTES) return code(-91);
  const moved = await moveSession(deps.db, session.reference, 'VERIFIED', 'REVERSED', null);
  return moved ? code(-90, { Shaparak_Ref_Id: session.ref_id }) : code(-91);
}

function code(value: number, more: object = {}): BankAnswer {
  return { status: 200, body: { code: value, ...more } };
}
