import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { InquiryResult } from '../../modules/payments/rules.ts';
import { createZarinpalRefunds } from './refund.ts';

/** What may be requested again after a lost answer, and what may not: AddRefund has no idempotency key. */
const panel = { sessions: [] as object[], addRefund: undefined as object | undefined, added: 0 };
const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const isRefund = Buffer.concat(chunks).toString().includes('AddRefund(');
  if (isRefund) panel.added += 1;
  if (isRefund && !panel.addRefund) return void response.destroy();
  const data = isRefund ? { resource: panel.addRefund } : { Session: panel.sessions };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ data }));
}

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());
beforeEach(() => Object.assign(panel, { sessions: [], addRefund: undefined, added: 0 }));

const asked = {
  paymentId: 'p',
  gatewayReference: 'A',
  refId: '77',
  amountToman: 60_000,
  refundToman: 60_000,
  secondsSincePaid: 60,
  isUnrepeatable: false,
  becomeUnrepeatable: async () => {},
};
const session = { id: 'S1', status: 'VERIFIED', amount: 600_000 };
const refunds = (reverseCode: number, hasPanel = true, inquiry: InquiryResult = 'verified') =>
  createZarinpalRefunds({
    post: async () => ({ kind: 'read', code: reverseCode, data: {} }),
    inquire: async () => inquiry,
    panel: hasPanel
      ? {
          url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
          accessToken: 't',
          terminalId: '1',
        }
      : undefined,
    timeoutMs: 5_000,
  });

test('a refund that the panel accepted is on its way, not yet confirmed', async () => {
  Object.assign(panel, { sessions: [session], addRefund: { id: 9, amount: 250_000, timeline: [] } });
  const part = { ...asked, refundToman: 25_000 };
  expect(await refunds(-63).refund(part)).toMatchObject({ kind: 'accepted', tracking: '9' });
});

test('the panel does not answer AddRefund: a partial refund is unknown; one that could be reversed goes to the operator', async () => {
  panel.sessions = [session];
  expect(await refunds(-62).refund({ ...asked, refundToman: 25_000 })).toMatchObject({ kind: 'unknown' });
  expect(await refunds(-62).refund(asked)).toMatchObject({ kind: 'by-hand' });
  expect(panel.added).toBe(2);
});

test.each([
  ['a whole payment while it could be reversed', {}],
  ['a part', { refundToman: 25_000 }],
  ['a whole payment later', { secondsSincePaid: 1_801 }],
])('not listed as refunded: %s', async (_, change) => {
  expect(await refunds(100).findRefund({ ...asked, ...change, isUnrepeatable: true })).toEqual({ kind: 'unknown' });
  // The panel access may have been removed meanwhile.
  expect(await refunds(100, false).findRefund({ ...asked, ...change, isUnrepeatable: true })).toEqual({
    kind: 'unknown',
  });
});

test('the request becomes unrepeatable before AddRefund, or AddRefund is not sent', async () => {
  Object.assign(panel, { sessions: [session], addRefund: { id: 9 } });
  const seen: number[] = [];
  const becomeUnrepeatable = async () => {
    seen.push(panel.added);
  };
  await refunds(-62).refund({ ...asked, becomeUnrepeatable });
  expect({ seen, added: panel.added }).toEqual({ seen: [0], added: 1 });
  await refunds(100).refund({ ...asked, becomeUnrepeatable });
  expect(seen).toHaveLength(1);
  const refuse = () => Promise.reject(new Error('somebody else’s'));
  await expect(refunds(-62).refund({ ...asked, becomeUnrepeatable: refuse })).rejects.toThrow('somebody else’s');
  expect(panel.added).toBe(1);
});

test('if at most a reverse was sent, a refund that the inquiry does not know was never done', async () => {
  expect(await refunds(100).findRefund(asked)).toEqual({ kind: 'not-done' });
  expect(await refunds(100, false).findRefund(asked)).toEqual({ kind: 'not-done' });
  expect(await refunds(100, false, 'reversed').findRefund(asked)).toMatchObject({ kind: 'confirmed' });
  expect(await refunds(100, false, 'unknown').findRefund(asked)).toEqual({ kind: 'unknown' });
});

test.each([
  ['another amount', [{ ...session, amount: 500_000 }]],
  ['no amount', [{ id: 'S1' }]],
  ['two of this amount', [session, { ...session, id: 'S2' }]],
])('a session of %s is not ours', async (_, sessions) => {
  panel.sessions = sessions;
  panel.addRefund = { id: 9 };
  expect(await refunds(-63).refund({ ...asked, refundToman: 25_000 })).toMatchObject({ kind: 'by-hand' });
  expect(panel.added).toBe(0);
  expect(await refunds(100).findRefund({ ...asked, isUnrepeatable: true })).toEqual({ kind: 'unknown' });
});
