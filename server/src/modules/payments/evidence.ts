import type { BankAnswer } from '@raha/contract/admin/payments.ts';

/** What is kept with a payment, for staff: the answers of the bank and the findings of operators, oldest first. */
export interface Evidence {
  readonly answers: readonly BankAnswer[];
  readonly verdicts: readonly { readonly by: string; readonly note: string }[];
}

/**
 * Fields of the banks that say what became of a payment. Banks may add fields at any time, and some name the payer: what is not
 * listed here is counted and not shown.
 */
const SHOWN = new Set([
  ...['code', 'status', 'message', 'error_code', 'error_message', 'inquiry', 'reason'],
  ...['amount', 'refunded', 'fee', 'fee_type', 'currency'],
  ...['id', 'order_id', 'ref_id', 'track_id', 'authority', 'trans_id', 'shaparak_ref_id', 'session'],
  ...['date', 'created_at', 'paid_at', 'verified_at'],
  ...['card_pan', 'card_no', 'card_holder'],
]);
const CARDS = new Set(['card_pan', 'card_no', 'card_holder']);
const LONGEST = 120;
/** Of the words that we put around an answer. */
const WRAPPERS = new Set(['bank', 'before', 'review', 'reason']);

/** Reads what the use cases of this module store: an answer as it came, or wrapped with our reason or an operator's verdict. */
export function readEvidence(evidence: unknown): Evidence {
  const answers: BankAnswer[] = [];
  const verdicts: { by: string; note: string }[] = [];
  const read = (part: unknown, why: string | null): void => {
    if (part === null || part === undefined) return;
    if (!isWrapped(part)) {
      answers.push(answerOf(part, why));
      return;
    }
    read(part.before, null);
    const reason = typeof part.reason === 'string' ? part.reason : why;
    if (part.bank !== undefined && part.bank !== null) read(part.bank, reason);
    else if (reason !== null && part.review === undefined) answers.push({ why: reason, fields: [], hidden: 0 });
    if (isVerdict(part.review)) verdicts.push({ by: part.review.by, note: part.review.note });
  };
  read(evidence, null);
  return { answers, verdicts };
}

interface Wrapped {
  readonly bank?: unknown;
  readonly before?: unknown;
  readonly review?: unknown;
  readonly reason?: unknown;
}

function isWrapped(part: unknown): part is Wrapped {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return false;
  const names = Object.keys(part);
  return names.length > 0 && names.every((name) => WRAPPERS.has(name));
}

function isVerdict(review: unknown): review is { by: string; note: string } {
  if (typeof review !== 'object' || review === null) return false;
  const { by, note } = review as Record<string, unknown>;
  return typeof by === 'string' && typeof note === 'string';
}

function answerOf(answer: unknown, why: string | null): BankAnswer {
  const fields: { name: string; value: string }[] = [];
  let hidden = 0;
  const read = (value: unknown, path: string, key: string): void => {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      for (const [at, item] of value.entries()) read(item, `${path}[${at}]`, key);
    } else if (typeof value === 'object') {
      for (const [name, item] of Object.entries(value)) read(item, path === '' ? name : `${path}.${name}`, name);
    } else if (SHOWN.has(key.toLowerCase())) {
      const text = String(value).slice(0, LONGEST);
      fields.push({ name: path, value: CARDS.has(key.toLowerCase()) ? maskCard(text) : text });
    } else hidden += 1;
  };
  read(answer, '', '');
  return { why, fields, hidden };
}

/** Banks mask the number. Should one not, all but its first six and last four digits are. */
export function maskCard(text: string): string {
  return text.replace(/\d{12,}/g, (digits) => `${digits.slice(0, 6)}••••${digits.slice(-4)}`);
}
