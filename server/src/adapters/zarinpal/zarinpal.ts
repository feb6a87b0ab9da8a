import { tomanToRial } from '@raha/contract/money.ts';
import type { Gateway, StartResult } from '../../modules/payments/gateway.ts';
import type { InquiryResult, VerifyResult } from '../../modules/payments/rules.ts';
import { readAnswer, type ZarinpalAnswer } from './answer.ts';

/**
 * Zarinpal REST v4. Amounts go out in rial with `currency: IRR`. Verified now is 100, verified before is 101: both are a
 * paid payment. HTTP statuses are ignored, envelopes differ between versions and errors; see `answer.ts`.
 */
export interface ZarinpalOptions {
  readonly merchantId: string;
  /** Scheme, host and optional path, without a trailing slash; asked at each call. */
  readonly apiUrl: () => string;
  /** Where the payer's browser goes. */
  readonly pageUrl: () => string;
  readonly test: boolean;
  readonly timeoutMs?: number;
}

const AUTHORITY = /^[AS][0-9A-Za-z]{35}$/;

export function createZarinpal(options: ZarinpalOptions): Gateway {
  const post = (call: string, body: object) =>
    postJson(
      `${options.apiUrl()}/pg/v4/payment/${call}.json`,
      { merchant_id: options.merchantId, ...body },
      options.timeoutMs ?? 10_000,
    );
  return {
    name: 'zarinpal',
    title: { fa: 'زرین‌پال', en: 'Zarinpal' },
    test: options.test,
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
        return { kind: 'started', authority, paymentUrl: `${options.pageUrl()}/pg/StartPay/${authority}` };
      }
      return { kind: 'refused', reason: `zarinpal ${answer.code}` };
    },
    async verify(request): Promise<VerifyResult> {
      const answer = await post('verify', { amount: tomanToRial(request.amountToman), authority: request.authority });
      return toVerifyResult(answer);
    },
    async inquire(authority): Promise<InquiryResult> {
      const answer = await post('inquiry', { authority });
      if (answer.kind === 'unreadable' || answer.code !== 100) return 'unknown';
      return inquiryStates[String(answer.data.status)] ?? 'unknown';
    },
    async listUnverified() {
      const answer = await post('unVerified', {});
      if (answer.kind === 'unreadable' || answer.code !== 100 || !Array.isArray(answer.data.authorities)) return [];
      return answer.data.authorities.flatMap((entry: { authority?: unknown; amount?: unknown }) => {
        const rial = Number(entry.amount);
        const known = typeof entry.authority === 'string' && Number.isSafeInteger(rial);
        return known ? [{ authority: entry.authority as string, amountToman: Math.floor(rial / 10) }] : [];
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
    const refId = answer.data.ref_id;
    if (refId === undefined || refId === null || refId === '')
      return { kind: 'unknown', reason: 'verified without ref_id' };
    const mask = answer.data.card_pan;
    return { kind: 'paid', refId: String(refId), cardMask: typeof mask === 'string' ? mask : undefined, evidence };
  }
  if (answer.code === -51) return { kind: 'not-paid', evidence };
  if (answer.code === -50 || answer.code === -53) return { kind: 'mismatch', evidence };
  if (answer.code === -54) return { kind: 'not-paid', evidence };
  return { kind: 'unknown', reason: `zarinpal ${answer.code}` };
}

const MAX_ANSWER_BYTES = 256 * 1024;

async function postJson(url: string, body: object, timeoutMs: number): Promise<ZarinpalAnswer> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      // A payment host that redirects is not the host we trust (ASVS 15.3.2).
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status >= 500) return { kind: 'unreadable', reason: `HTTP ${response.status}` };
    return readAnswer(await readLimited(response));
  } catch (error) {
    return { kind: 'unreadable', reason: error instanceof Error ? error.name : 'network' };
  }
}

async function readLimited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new RangeError('answer too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
