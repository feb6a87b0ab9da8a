import { isRecord, readObject } from '../bank/ask-bank.ts';

/** An answer of Zarinpal, in whichever envelope it came; `unreadable`: the outcome is unknown. */
export type ZarinpalAnswer =
  | { readonly kind: 'read'; readonly code: number; readonly data: Record<string, unknown> }
  | { readonly kind: 'unreadable'; readonly reason: string };

/**
 * Reads the four envelopes seen in practice: `{data:{code…}, errors:[]}`, `{data:[], errors:{code…}}`, `{data:{},
 * errors:[{code…}]}` and `{message, errors:{authority:["text","-54"]}}`.
 */
export function readAnswer(text: string): ZarinpalAnswer {
  const body = readObject(text);
  if (!body) return { kind: 'unreadable', reason: 'not an object' };
  if (isRecord(body.data)) {
    const code = toCode(body.data.code);
    if (code !== undefined) return { kind: 'read', code, data: body.data };
  }
  const code = errorCode(body.errors);
  return code === undefined ? { kind: 'unreadable', reason: 'no code' } : { kind: 'read', code, data: {} };
}

function errorCode(errors: unknown): number | undefined {
  if (Array.isArray(errors)) return errors.map(errorCode).find((code) => code !== undefined);
  if (!isRecord(errors)) return undefined;
  const direct = toCode(errors.code);
  if (direct !== undefined) return direct;
  for (const value of Object.values(errors)) {
    if (!Array.isArray(value)) continue;
    const code = value.map(toCode).find((found) => found !== undefined && found < 0);
    if (code !== undefined) return code;
  }
  return undefined;
}

function toCode(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  return typeof value === 'string' && /^-?\d{1,4}$/.test(value) ? Number(value) : undefined;
}
