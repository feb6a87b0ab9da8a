import type { SmsMessage, SmsResult, SmsSender } from '../../platform/sms.ts';
import { askBank, isRecord, readObject, toWhole } from '../bank/ask-bank.ts';

/**
 * Kavenegar's "lookup" call, for messages by an approved template (kavenegar.com/rest.html): a form in, JSON out. The
 * outcome is `return.status`; the HTTP status repeats it or means nothing. The API key is part of the URL, so URLs are
 * never logged.
 */
export interface KavenegarOptions {
  readonly apiKey: string;
  readonly apiUrl: () => string;
  readonly test: boolean;
  readonly timeoutMs?: number;
}

const OK = 200;
/** Busy, too many requests, or limited by address: nothing was sent, and a later attempt may succeed. */
const NOT_NOW = new Set([409, 429, 451]);

export function createKavenegar(options: KavenegarOptions): SmsSender {
  return {
    test: options.test,
    async send({ to, template, token }: SmsMessage): Promise<SmsResult> {
      const url = `${options.apiUrl()}/v1/${encodeURIComponent(options.apiKey)}/verify/lookup.json`;
      const answer = await askBank(url, {
        form: { receptor: to, template, token: token.replace(/\s+/g, '-') },
        timeoutMs: options.timeoutMs ?? 10_000,
      });
      if (answer.kind === 'unreadable') return { kind: 'unknown', reason: answer.reason };
      return readLookup(answer.text);
    },
  };
}

/** `entries` is ignored: some accounts get an object, some a list. */
export function readLookup(text: string): SmsResult {
  const body = readObject(text);
  const status = isRecord(body?.return) ? toWhole(body.return.status) : undefined;
  if (status === undefined) return { kind: 'unknown', reason: 'an answer without a status' };
  if (status === OK) return { kind: 'sent' };
  return { kind: NOT_NOW.has(status) ? 'busy' : 'refused', reason: `kavenegar ${status}`, code: status };
}
