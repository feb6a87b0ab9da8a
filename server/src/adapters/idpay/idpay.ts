import { tomanToRial } from '@raha/contract/money.ts';
import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import type { Gateway, PaymentReference, StartResult } from '../../modules/payments/gateway.ts';
import type { InquiryResult, VerifyResult } from '../../modules/payments/rules.ts';
import { askBank, readObject, toText, toWhole } from '../bank/ask-bank.ts';

/**
 * IDPay v1.1. Amounts are in rial. The verify call takes no amount, so the answer's amount, order and id are compared
 * here. Status 100 is verified now, 101 verified before, 200 paid out to us: all mean paid. There is no refund call.
 * Public reports say that the service has stopped, so it is off unless the operator switches it on.
 */
export interface IdpayOptions {
  readonly apiKey: string;
  readonly apiUrl: () => string;
  /** The page to which the payer's browser is sent. */
  readonly pageUrl: () => string;
  readonly test: boolean;
  readonly timeoutMs?: number;
}

type Answer =
  | { readonly kind: 'status'; readonly status: number; readonly data: Record<string, unknown> }
  | { readonly kind: 'created'; readonly data: Record<string, unknown> }
  | { readonly kind: 'error'; readonly code: number; readonly data: Record<string, unknown> }
  | { readonly kind: 'unreadable'; readonly reason: string };

const ID = /^[0-9a-zA-Z]{8,64}$/;

export function createIdpay(options: IdpayOptions): Gateway {
  const post = async (call: string, body: object): Promise<Answer> => {
    const answer = await askBank(`${options.apiUrl()}/v1.1/payment${call}`, {
      headers: { 'x-api-key': options.apiKey, 'x-sandbox': '0' },
      json: body,
      timeoutMs: options.timeoutMs ?? 10_000,
    });
    if (answer.kind === 'unreadable') return answer;
    return readAnswer(answer.status, answer.text);
  };
  return {
    name: 'idpay',
    title: gatewayTitles.idpay,
    test: options.test,
    pages: () => [options.pageUrl()],
    async start(request): Promise<StartResult> {
      const answer = await post('', {
        order_id: request.paymentId,
        amount: tomanToRial(request.amountToman),
        callback: request.callbackUrl,
        desc: request.description,
      });
      if (answer.kind === 'unreadable') return { kind: 'unknown', reason: answer.reason };
      if (answer.kind === 'error') return { kind: 'refused', reason: `idpay ${answer.code}` };
      const authority = toText(answer.data.id) ?? '';
      const link = toText(answer.data.link) ?? '';
      if (answer.kind !== 'created' || !ID.test(authority) || !/^https?:\/\//.test(link))
        return { kind: 'unknown', reason: 'created without id or link' };
      return { kind: 'started', gatewayReference: authority, paymentUrl: link };
    },
    readReturn({ id: authority, status }) {
      const outcome = ['10', '100', '101', '200'].includes(status ?? '')
        ? 'ok'
        : ['1', '2', '3', '7'].includes(status ?? '')
          ? 'nok'
          : undefined;
      return { gatewayReference: authority, outcome };
    },
    async verify(reference): Promise<VerifyResult> {
      const answer = await post('/verify', { id: reference.gatewayReference, order_id: reference.paymentId });
      return toVerifyResult(answer, reference);
    },
    async inquire({ gatewayReference, paymentId }): Promise<InquiryResult> {
      const answer = await post('/inquiry', { id: gatewayReference, order_id: paymentId });
      return answer.kind === 'status' ? (inquiryStates[answer.status] ?? 'unknown') : 'unknown';
    },
    refund: async () => ({ kind: 'by-hand', reason: 'the gateway has no refund call' }),
    findRefund: async () => ({ kind: 'not-done' }),
    listUnverified: async () => [],
  };
}

/**
 * A created payment has `id` and `link`, an error `error_code`, everything else a `status`. Numbers may come as text.
 */
function readAnswer(httpStatus: number, text: string): Answer {
  const data = readObject(text);
  if (!data) return { kind: 'unreadable', reason: 'not an object' };
  const code = toWhole(data.error_code);
  if (code !== undefined) return { kind: 'error', code, data };
  const status = toWhole(data.status);
  if (status !== undefined) return { kind: 'status', status, data };
  return httpStatus === 201 || data.link !== undefined
    ? { kind: 'created', data }
    : { kind: 'unreadable', reason: 'no status' };
}

/** 4: blocked by the gateway until its staff have reviewed it, so not final. */
const inquiryStates: Record<number, InquiryResult> = {
  1: 'in-bank',
  2: 'failed',
  3: 'failed',
  4: 'in-bank',
  5: 'reversed',
  6: 'reversed',
  7: 'cancelled',
  8: 'in-bank',
  10: 'paid',
  100: 'verified',
  101: 'verified',
  200: 'verified',
};

function toVerifyResult(answer: Answer, reference: PaymentReference): VerifyResult {
  if (answer.kind === 'unreadable') return { kind: 'unknown', reason: answer.reason };
  if (answer.kind === 'created') return { kind: 'unknown', reason: 'no status' };
  const evidence = answer.data;
  // 53: cannot be verified; 54: too late to verify; 52: nothing found. The inquiry tells which state it is in.
  if (answer.kind === 'error') {
    if (answer.code === 52 || answer.code === 53 || answer.code === 54) return { kind: 'not-paid', evidence };
    return { kind: 'unknown', reason: `idpay ${answer.code}` };
  }
  if (answer.status === 100 || answer.status === 101 || answer.status === 200) {
    const { amount, order_id: order, id, payment } = answer.data;
    const same =
      toWhole(amount) === tomanToRial(reference.amountToman) &&
      toText(order) === reference.paymentId &&
      toText(id) === reference.gatewayReference;
    if (!same) return { kind: 'mismatch', evidence };
    const bank = (payment ?? {}) as Record<string, unknown>;
    const refId = toText(answer.data.track_id) ?? toText(bank.track_id);
    if (!refId) return { kind: 'unknown', reason: 'verified without track_id' };
    return { kind: 'paid', refId, cardMask: toText(bank.card_no), evidence };
  }
  const state = inquiryStates[answer.status];
  return state && state !== 'paid' && state !== 'verified'
    ? { kind: 'not-paid', evidence, known: state }
    : { kind: 'unknown', reason: `idpay status ${answer.status}` };
}
