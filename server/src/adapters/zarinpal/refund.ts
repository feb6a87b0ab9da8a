import { tomanToRial } from '@raha/contract/money.ts';
import type { Gateway, RefundRequest } from '../../modules/payments/gateway.ts';
import type { InquiryResult, RefundCheck, RefundResult } from '../../modules/payments/rules.ts';
import { askBank, isRecord, readObject, toText, toWhole } from '../bank/ask-bank.ts';
import type { ZarinpalAnswer } from './answer.ts';

/** The merchant's panel: an access token (not the merchant id) and the terminal it belongs to. */
export interface PanelAccess {
  readonly url: () => string;
  readonly accessToken: string;
  readonly terminalId: string;
}

interface Parts {
  readonly post: (call: string, body: object) => Promise<ZarinpalAnswer>;
  readonly inquire: (gatewayReference: string) => Promise<InquiryResult>;
  readonly panel: PanelAccess | undefined;
  readonly timeoutMs: number;
}

/** Reversing is free; it covers the whole payment, within half an hour, and only from a registered network address. */
const REVERSE_SECONDS = 30 * 60;
/** The panel refunds 20,000 rial or more. */
const PANEL_MIN_TOMAN = 2_000;

/**
 * Refunds through Zarinpal: `reverse.json` while that is possible, else `AddRefund` of the panel's GraphQL, else by
 * hand. A reverse may be repeated: the inquiry then says REVERSED. AddRefund may not: an accepted refund is paid out
 * later, and until then it is not documented that a refund whose answer was lost appears among the refunded sessions.
 * So the request is marked unrepeatable first.
 */
export function createZarinpalRefunds(parts: Parts): Pick<Gateway, 'refund' | 'findRefund'> {
  return {
    async refund(request): Promise<RefundResult> {
      const isReversible = request.refundToman === request.amountToman && request.secondsSincePaid <= REVERSE_SECONDS;
      if (isReversible) {
        const reversed = await reverse(parts, request);
        if (reversed.kind !== 'by-hand') return reversed;
      }
      const { panel } = parts;
      if (!panel || request.refundToman < PANEL_MIN_TOMAN)
        return { kind: 'by-hand', reason: 'no call for this refund' };
      const added = await addRefund(panel, parts.timeoutMs, request);
      // The bank refused the reverse and the panel did not answer: the operator looks at it at once.
      if (isReversible && added.kind === 'unknown')
        return { kind: 'by-hand', reason: `look into the panel first: ${added.reason}` };
      return added;
    },
    async findRefund(request): Promise<RefundCheck> {
      const inquiry = await parts.inquire(request.gatewayReference);
      if (inquiry === 'reversed') return { kind: 'confirmed', tracking: undefined, evidence: { inquiry } };
      if (inquiry === 'unknown') return { kind: 'unknown' };
      // At most a reverse was sent.
      if (!request.isUnrepeatable) return { kind: 'not-done' };
      if (!parts.panel) return { kind: 'unknown' };
      const found = await findSession(parts.panel, parts.timeoutMs, request, 'REFUNDED');
      if (found.kind !== 'found') return { kind: 'unknown' };
      return { kind: 'confirmed', tracking: found.id, evidence: { session: found.id, filter: 'REFUNDED' } };
    },
  };
}

/**
 * -60: the bank cannot; -62: our address is not registered; -63: too late. Another way is left. -61 is settled by the
 * inquiry.
 */
async function reverse({ post, inquire }: Parts, request: RefundRequest): Promise<RefundResult> {
  const answer = await post('reverse', { authority: request.gatewayReference });
  if (answer.kind === 'unreadable') return { kind: 'unknown', reason: answer.reason };
  const evidence = { code: answer.code, data: answer.data };
  if (answer.code === 100) return { kind: 'confirmed', tracking: undefined, evidence };
  if (answer.code === -60 || answer.code === -62 || answer.code === -63)
    return { kind: 'by-hand', reason: `zarinpal ${answer.code}` };
  if (answer.code !== -61) return { kind: 'unknown', reason: `zarinpal ${answer.code}` };
  const inquiry = await inquire(request.gatewayReference);
  if (inquiry === 'reversed') return { kind: 'confirmed', tracking: undefined, evidence: { ...evidence, inquiry } };
  if (inquiry === 'unknown') return { kind: 'unknown', reason: 'zarinpal -61' };
  return { kind: 'failed', reason: 'zarinpal -61', evidence: { ...evidence, inquiry } };
}

const ADD_REFUND = `mutation AddRefund($session_id: ID!, $amount: BigInteger!, $description: String, $method: InstantPayoutActionTypeEnum, $reason: RefundReasonEnum) {
  resource: AddRefund(session_id: $session_id, amount: $amount, description: $description, method: $method, reason: $reason) {
    terminal_id id amount timeline { refund_amount refund_time refund_status }
  }
}`;

const SESSION = `query Sessions($terminal_id: ID!, $filter: FilterEnum, $reference_id: String) {
  Session(terminal_id: $terminal_id, filter: $filter, reference_id: $reference_id) { id status amount description created_at }
}`;

async function addRefund(panel: PanelAccess, timeoutMs: number, request: RefundRequest): Promise<RefundResult> {
  const paid = await findSession(panel, timeoutMs, request, 'VERIFIED');
  // Nothing was requested yet, so a missing session loses nothing.
  if (paid.kind !== 'found') return { kind: 'by-hand', reason: 'the panel does not show the payment' };
  await request.becomeUnrepeatable();
  const data = await graphql(panel, timeoutMs, ADD_REFUND, {
    session_id: paid.id,
    amount: tomanToRial(request.refundToman),
    description: request.paymentId,
    method: 'PAYA',
    reason: 'CUSTOMER_REQUEST',
  });
  if (data.kind === 'unreadable') return { kind: 'unknown', reason: data.reason };
  const { resource } = data.data;
  const tracking = isRecord(resource) ? toText(resource.id) : undefined;
  if (!isRecord(resource) || tracking === undefined) return { kind: 'unknown', reason: 'refund without id' };
  if (resource.amount !== undefined && toWhole(resource.amount) === undefined)
    return { kind: 'unknown', reason: 'refund without amount' };
  return { kind: 'accepted', tracking, evidence: resource };
}

/**
 * The panel's session of a payment, by the reference that verify returned. That both numbers are the same is inferred
 * from their name, so a session with another amount is taken for another payment.
 */
async function findSession(
  panel: PanelAccess,
  timeoutMs: number,
  request: RefundRequest,
  filter: 'VERIFIED' | 'REFUNDED',
): Promise<{ kind: 'found'; id: string } | { kind: 'none' } | { kind: 'another' } | { kind: 'unreadable' }> {
  const answer = await graphql(panel, timeoutMs, SESSION, {
    terminal_id: panel.terminalId,
    filter,
    reference_id: request.refId,
  });
  if (answer.kind !== 'data' || !Array.isArray(answer.data.Session)) return { kind: 'unreadable' };
  const sessions: unknown[] = answer.data.Session;
  if (sessions.length === 0) return { kind: 'none' };
  const [own, ...more] = sessions.filter(
    (session) => isRecord(session) && toWhole(session.amount) === tomanToRial(request.amountToman),
  );
  const id = isRecord(own) && more.length === 0 ? toText(own.id) : undefined;
  return id === undefined ? { kind: 'another' } : { kind: 'found', id };
}

type GraphqlAnswer =
  | { readonly kind: 'data'; readonly data: Record<string, unknown> }
  | { readonly kind: 'unreadable'; readonly reason: string };

async function graphql(
  panel: PanelAccess,
  timeoutMs: number,
  query: string,
  variables: object,
): Promise<GraphqlAnswer> {
  const answer = await askBank(panel.url(), {
    headers: { authorization: `Bearer ${panel.accessToken}` },
    json: { query, variables },
    timeoutMs,
  });
  if (answer.kind === 'unreadable') return answer;
  const body = readObject(answer.text);
  if (!body) return { kind: 'unreadable', reason: 'not an object' };
  if (Array.isArray(body.errors) && body.errors.length > 0) {
    const [first] = body.errors as { message?: unknown }[];
    // A GraphQL error does not tell whether anything was done before it; the list of refunded sessions will.
    return { kind: 'unreadable', reason: `panel: ${toText(first?.message) ?? 'refused'}`.slice(0, 200) };
  }
  return isRecord(body.data) ? { kind: 'data', data: body.data } : { kind: 'unreadable', reason: 'no data' };
}
