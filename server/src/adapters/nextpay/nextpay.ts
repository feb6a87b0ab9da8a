import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import type { Gateway, RefundRequest, StartResult } from '../../modules/payments/gateway.ts';
import type { InquiryResult, RefundResult, VerifyResult } from '../../modules/payments/rules.ts';
import { askBank, readObject, toText, toWhole } from '../bank/ask-bank.ts';

/**
 * NextPay. Amounts are in toman on the wire (`currency: IRT`), also for refunds, where other clients send no currency.
 * Code -1 grants a token, 0 verifies a payment; verifying it again gives -49 or -25. There is no inquiry, no list of
 * unverified payments and no sandbox. An unverified payment returns to the payer after ten minutes.
 */
export interface NextpayOptions {
  readonly apiKey: string;
  /** Scheme, host and optional path, without a trailing slash; read at each call. */
  readonly apiUrl: () => string;
  /** The page to which the payer's browser is sent. */
  readonly pageUrl: () => string;
  readonly test: boolean;
  readonly timeoutMs?: number;
}

const TRANS_ID = /^[0-9a-zA-Z-]{8,64}$/;
/** A refund is a verify call: only the whole amount, only for twenty minutes. */
const REFUND_SECONDS = 20 * 60;

interface Answer {
  readonly code: number;
  readonly data: Record<string, unknown>;
}

export function createNextpay(options: NextpayOptions): Gateway {
  const post = async (call: string, fields: Record<string, string>): Promise<Answer | string> => {
    const answer = await askBank(`${options.apiUrl()}/nx/gateway/${call}`, {
      form: { api_key: options.apiKey, ...fields },
      timeoutMs: options.timeoutMs ?? 10_000,
    });
    if (answer.kind === 'unreadable') return answer.reason;
    const data = readObject(answer.text);
    const code = toWhole(data?.code);
    return data && code !== undefined ? { code, data } : 'no code';
  };
  return {
    name: 'nextpay',
    title: gatewayTitles.nextpay,
    test: options.test,
    pages: () => [options.pageUrl()],
    async start(request): Promise<StartResult> {
      const answer = await post('token', {
        order_id: request.paymentId,
        amount: String(request.amountToman),
        currency: 'IRT',
        callback_uri: request.callbackUrl,
        payer_desc: request.description,
      });
      if (typeof answer === 'string') return { kind: 'unknown', reason: answer };
      const authority = toText(answer.data.trans_id) ?? '';
      if (answer.code !== -1)
        return refusedStart.has(answer.code)
          ? { kind: 'unknown', reason: `nextpay ${answer.code}` }
          : { kind: 'refused', reason: `nextpay ${answer.code}` };
      if (!TRANS_ID.test(authority)) return { kind: 'unknown', reason: 'token without trans_id' };
      return {
        kind: 'started',
        gatewayReference: authority,
        paymentUrl: `${options.pageUrl()}/nx/gateway/payment/${authority}`,
      };
    },
    // The return is unsigned and its status unreliable; it only tells which payment it is about.
    readReturn: ({ trans_id: authority }) => ({ gatewayReference: authority, outcome: undefined }),
    async verify({ paymentId, gatewayReference, amountToman }): Promise<VerifyResult> {
      const answer = await post('verify', { trans_id: gatewayReference, amount: String(amountToman), currency: 'IRT' });
      if (typeof answer === 'string') return { kind: 'unknown', reason: answer };
      return toVerifyResult(answer, { paymentId, gatewayReference, amountToman });
    },
    inquire: async () => 'unknown',
    async refund(request): Promise<RefundResult> {
      if (request.secondsSincePaid > REFUND_SECONDS || request.refundToman !== request.amountToman)
        return { kind: 'by-hand', reason: 'only whole payments of the last twenty minutes' };
      return await sendBack(post, request);
    },
    // There is no way to look up a refund: after a lost answer the operator decides.
    findRefund: async () => ({ kind: 'unknown' }),
    listUnverified: async () => [],
  };
}

async function sendBack(
  post: (call: string, fields: Record<string, string>) => Promise<Answer | string>,
  request: RefundRequest,
): Promise<RefundResult> {
  const answer = await post('verify', {
    trans_id: request.gatewayReference,
    amount: String(request.refundToman),
    refund_request: 'yes_money_back',
  });
  if (typeof answer === 'string') return { kind: 'unknown', reason: answer };
  const evidence = { code: answer.code, data: answer.data };
  if (answer.code === -90) return { kind: 'confirmed', tracking: toText(answer.data.Shaparak_Ref_Id), evidence };
  // -93: our own balance at the gateway is too low; -94 and key errors: the account cannot refund. The operator sends
  // it.
  if (answer.code === -93 || answer.code === -94) return { kind: 'by-hand', reason: `nextpay ${answer.code}` };
  if (answer.code === -91 || answer.code === -92) return { kind: 'failed', reason: `nextpay ${answer.code}`, evidence };
  return { kind: 'unknown', reason: `nextpay ${answer.code}` };
}

/** The gateway's own errors on start: payment system, no gateway, bad bank answer, no answer from the bank. */
const refusedStart = new Set([-42, -43, -44, -72]);

/** The payment's state for the codes of verify that are definite. */
const known: Record<number, InquiryResult> = {
  [-1]: 'in-bank',
  [-2]: 'failed',
  [-3]: 'in-bank',
  [-4]: 'cancelled',
  [-90]: 'reversed',
};

function toVerifyResult(
  { code, data }: Answer,
  expected: { paymentId: string; gatewayReference: string; amountToman: number },
): VerifyResult {
  const evidence = { code, data };
  if (code === 0 || code === -49 || code === -25) {
    // A repeated verify has no reference, so the gateway's id of the payment is the proof. The fields it does have must
    // match.
    const amount = data.amount === undefined ? undefined : toWhole(data.amount);
    const order = toText(data.order_id);
    const sameAmount = data.amount === undefined ? code !== 0 : amount === expected.amountToman;
    const sameOrder = order === undefined || order === expected.paymentId;
    if (!sameAmount || !sameOrder) return { kind: 'mismatch', evidence };
    const refId = toText(data.Shaparak_Ref_Id) ?? expected.gatewayReference;
    return { kind: 'paid', refId, cardMask: toText(data.card_holder), evidence };
  }
  if (code === -24 || code === -27) return { kind: 'mismatch', evidence };
  const state = known[code];
  if (state) return { kind: 'not-paid', evidence, known: state };
  // -37 and -34: the gateway knows no such payment.
  if (code === -37 || code === -34) return { kind: 'not-paid', evidence };
  return { kind: 'unknown', reason: `nextpay ${code}` };
}
