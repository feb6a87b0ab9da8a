import type { Recipient } from '@raha/contract/privacy.ts';

/** By recipient, the names of the fields that it was sent. */
export const sent: Record<Recipient, Set<string>> = {
  bank: new Set(),
  store: new Set(),
  text_message: new Set(),
  push_service: new Set(),
};
const BANKS = /\/(pg\/v4|v1\.1\/payment|nx\/gateway|api\/v4\/graphql)/;

/** Notes what a request to a bank, a push service or to the sender of text messages contains. */
export function noteSent(url: string, body: unknown, headers: object = {}): void {
  if (/:\d+\/push\//.test(url))
    for (const name of ['address', 'body', ...Object.keys(headers)]) sent.push_service.add(name);
  const recipient = BANKS.test(url) ? 'bank' : url.includes('/verify/lookup') ? 'text_message' : undefined;
  if (recipient === undefined) return;
  const text = String(body ?? '');
  const fields = text.startsWith('{') ? namesIn(JSON.parse(text)) : [...new URLSearchParams(text).keys()];
  for (const field of fields) sent[recipient].add(field);
}

/** The names of a JSON object's fields, of inner ones with the path to them. */
function namesIn(value: object): string[] {
  return Object.entries(value).flatMap(([name, item]) =>
    typeof item === 'object' && item !== null ? namesIn(item).map((inner) => `${name}.${inner}`) : [name],
  );
}
