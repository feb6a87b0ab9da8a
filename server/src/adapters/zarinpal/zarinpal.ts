import { tomanToRial } from '@raha/contract/money.ts';
import { gatewayTitles } from '@raha/contract/payment-gateways.ts';
import type { Gateway, StartResult } from '../../modules/payments/gateway.ts';
import type { InquiryResult, VerifyResult } from '../../modules/payments/rules.ts';
import { askBank, toText } from '../bank/ask-bank.ts';
import { readAnswer, type ZarinpalAnswer } from './answer.ts';
import { createZarinpalRefunds, type PanelAccess } from './refund.ts';

/**
 * Zarinpal REST v4. Amounts are sent in rial with `currency: IRR`. 100 is verified now, 101 verified before: both mean
 * paid. HTTP statuses below 500 are ignored; envelopes differ between versions and errors, see `answer.ts`.
 */
export interface ZarinpalOptions {
  readonly merchantId: string;
  /** Scheme, host and optional path, without a trailing slash; read at each call. */
  readonly apiUrl: () => string;
  /** The page to which the payer's browser is sent. */
  readonly pageUrl: () => string;
  /** For refunds after half an hour; without it the operator sends them by hand. */
  readonly panel?: PanelAccess | undefined;
  readonly test: boolean;
  readonly timeoutMs?: number;
}

const AUTHORITY = /^[AS][0-9A-Za-z]{35}$/;

export function createZarinpal(options: ZarinpalOptions): Gateway {
  const timeoutMs = options.timeoutMs ?? 10_000;
  const post = async (call: string, body: object): Promise<ZarinpalAnswer> => {
    const url = `${options.apiUrl()}/pg/v4/payment/${call}.json`;
    const answer = await askBank(url, { json: { merchant_id: options.merchantId, ...body }, timeoutMs });
    return answer.kind === 'unreadable' ? answer : readAnswer(answer.text);
  };
  const inquire = async (authority: string): Promise<InquiryResult> => {
    const answer = await post('inquiry', { authority });
    if (answer.kind === 'unreadable' || answer.code !== 100) return 'unknown';
    return inquiryStates[String(answer.data.status)] ?? 'unknown';
  };
  return {
    name: 'zarinpal',
    title: gatewayTitles.zarinpal,
    test: options.test,
    pages: () => [options.pageUrl()],
    async start(request): Promise<StartResult> {
      const answer = await post('request', {
        amount: tomanToRial(request.amountToman),
        currency: 'IRR',
        callback_url: request.callbackUrl,
        description: request.description,
        metadata: { order_id: request.paymentId },
      });
      if (answer.kind === 'unreadable') return { kind: 'unknown', reason: answer.reason };
      const authority = String(answer.data.authority ?? '');
      if (answer.code === 100 && AUTHORITY.test(authority)) {
        return {
          kind: 'started',
          gatewayReference: authority,
          paymentUrl: `${options.pageUrl()}/pg/StartPay/${authority}`,
        };
      }
      return { kind: 'refused', reason: `zarinpal ${answer.code}` };
    },
    readReturn({ authority, status }) {
      const word = status?.toUpperCase();
      return { gatewayReference: authority, outcome: word === 'OK' ? 'ok' : word === 'NOK' ? 'nok' : undefined };
    },
    async verify(request): Promise<VerifyResult> {
      const answer = await post('verify', {
        amount: tomanToRial(request.amountToman),
        authority: request.gatewayReference,
      });
      return toVerifyResult(answer);
    },
    inquire: ({ gatewayReference }) => inquire(gatewayReference),
    ...createZarinpalRefunds({ post, inquire, panel: options.panel, timeoutMs }),
    async listUnverified() {
      const answer = await post('unVerified', {});
      if (answer.kind === 'unreadable' || answer.code !== 100 || !Array.isArray(answer.data.authorities)) return [];
      return answer.data.authorities.flatMap((entry: { authority?: unknown; amount?: unknown }) => {
        const rial = Number(entry.amount);
        const known = typeof entry.authority === 'string' && Number.isSafeInteger(rial);
        return known ? [{ gatewayReference: entry.authority as string, amountToman: Math.floor(rial / 10) }] : [];
      });
    },
  };
}

const inquiryStates: Record<string, InquiryResult> = {
  IN_BANK: 'in-bank',
  PAID: 'paid',
  VERIFIED: 'verified',
  FAILED: 'failed',
  REVERSED: 'reversed',
};

/** -50 amount differs, -53 another merchant's session, -54 unknown authority; -51 not paid. */
function toVerifyResult(answer: ZarinpalAnswer): VerifyResult {
  if (answer.kind === 'unreadable') return { kind: 'unknown', reason: answer.reason };
  const evidence = { code: answer.code, data: answer.data };
  if (answer.code === 100 || answer.code === 101) {
    const refId = toText(answer.data.ref_id);
    if (refId === undefined) return { kind: 'unknown', reason: 'verified without ref_id' };
    return { kind: 'paid', refId, cardMask: toText(answer.data.card_pan), evidence };
  }
  if (answer.code === -51) return { kind: 'not-paid', evidence };
  if (answer.code === -50 || answer.code === -53) return { kind: 'mismatch', evidence };
  if (answer.code === -54) return { kind: 'not-paid', evidence };
  return { kind: 'unknown', reason: `zarinpal ${answer.code}` };
}
