import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../../modules/payments/gateway.ts';
import { createIdpay } from '../idpay/idpay.ts';
import { createNextpay } from '../nextpay/nextpay.ts';
import { createZarinpal } from '../zarinpal/zarinpal.ts';

/** The meaning of each code in the banks' documents, tested with one canned answer each. */
let server: Server;
let gateways: Record<'zarinpal' | 'nextpay' | 'idpay', Gateway>;
let answers: { status: number; body: string }[] = [];
let asked: { url: string; body: string; key: unknown }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      asked.push({ url: request.url ?? '', body, key: request.headers['x-api-key'] });
      const answer = answers.shift() ?? { status: 500, body: '' };
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateways = {
    zarinpal: createZarinpal({ merchantId: '0'.repeat(36), apiUrl: url, pageUrl: url, test: true }),
    nextpay: createNextpay({ apiKey: 'key', apiUrl: url, pageUrl: url, test: true }),
    idpay: createIdpay({ apiKey: 'key', pageUrl: url, apiUrl: url, test: true }),
  };
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function will(...bodies: [status: number, body: unknown][]): void {
  asked = [];
  answers = bodies.map(([status, body]) => ({ status, body: typeof body === 'string' ? body : JSON.stringify(body) }));
}

const paymentId = '01975c3e-7b1a-7c3d-8a52-0c9d5f1e2a3b';
const reference = { paymentId, gatewayReference: `A${'1'.repeat(35)}`, amountToman: 5_000 };
const zarinpalError = (code: number) => ({ data: [], errors: { code, message: 'x' } });

test.each([
  [100, 'paid'],
  [101, 'paid'],
])('Zarinpal verify %i: %s', async (code, kind) => {
  will([200, { data: { code, ref_id: '12345678901234567890', card_pan: '5022**' }, errors: [] }]);
  expect(await gateways.zarinpal.verify(reference)).toMatchObject({ kind, refId: '12345678901234567890' });
  expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ amount: 50_000, authority: reference.gatewayReference });
});

test.each([
  [-9, 'unknown'],
  [-10, 'unknown'],
  [-11, 'unknown'],
  [-15, 'unknown'],
  [-50, 'mismatch'],
  [-51, 'not-paid'],
  [-52, 'unknown'],
  [-53, 'mismatch'],
  [-54, 'not-paid'],
  [-55, 'unknown'],
])('Zarinpal verify %i: %s', async (code, kind) => {
  for (const status of [200, 400, 401, 422]) {
    will([status, zarinpalError(code)]);
    expect((await gateways.zarinpal.verify(reference)).kind).toBe(kind);
  }
});

test.each([
  ['IN_BANK', 'in-bank'],
  ['PAID', 'paid'],
  ['VERIFIED', 'verified'],
  ['FAILED', 'failed'],
  ['REVERSED', 'reversed'],
  ['SOMETHING', 'unknown'],
])('Zarinpal inquiry %s: %s', async (status, state) => {
  will([200, { data: { code: 100, status }, errors: [] }]);
  expect(await gateways.zarinpal.inquire(reference)).toBe(state);
});

const refund = {
  ...reference,
  refId: '201',
  refundToman: 5_000,
  secondsSincePaid: 60,
  isUnrepeatable: false,
  becomeUnrepeatable: async () => {},
};

test.each([
  [[100], 'confirmed'],
  [[-60], 'by-hand'],
  [[-62], 'by-hand'],
  [[-63], 'by-hand'],
  [[-52], 'unknown'],
])('Zarinpal reverse %j: %s', async ([code], kind) => {
  will([200, code === 100 ? { data: { code }, errors: [] } : zarinpalError(code as number)]);
  expect((await gateways.zarinpal.refund(refund)).kind).toBe(kind);
});

test.each([
  ['REVERSED', 'confirmed'],
  ['VERIFIED', 'failed'],
  ['SOMETHING', 'unknown'],
])('Zarinpal reverse -61, and the inquiry says %s: %s', async (status, kind) => {
  will([200, zarinpalError(-61)], [200, { data: { code: 100, status }, errors: [] }]);
  expect((await gateways.zarinpal.refund(refund)).kind).toBe(kind);
});

test('Zarinpal later than half an hour, or a part, without a panel: by hand, and the bank is not asked', async () => {
  will();
  expect((await gateways.zarinpal.refund({ ...refund, secondsSincePaid: 1801 })).kind).toBe('by-hand');
  expect((await gateways.zarinpal.refund({ ...refund, refundToman: 4_999 })).kind).toBe('by-hand');
  expect(asked).toEqual([]);
});

test.each([
  [0, 'mismatch', undefined],
  [-1, 'not-paid', 'in-bank'],
  [-2, 'not-paid', 'failed'],
  [-3, 'not-paid', 'in-bank'],
  [-4, 'not-paid', 'cancelled'],
  [-24, 'mismatch', undefined],
  [-25, 'paid', undefined],
  [-27, 'mismatch', undefined],
  [-33, 'unknown', undefined],
  [-34, 'not-paid', undefined],
  [-37, 'not-paid', undefined],
  [-42, 'unknown', undefined],
  [-49, 'paid', undefined],
  [-72, 'unknown', undefined],
  [-90, 'not-paid', 'reversed'],
])('NextPay verify %i with nothing else: %s', async (code, kind, known) => {
  will([200, { code }]);
  const answer = await gateways.nextpay.verify(reference);
  expect(answer.kind).toBe(kind);
  if (answer.kind === 'not-paid') expect(answer.known).toBe(known);
});

test.each([
  [{ code: 0, amount: 5_000, order_id: paymentId, Shaparak_Ref_Id: '77' }, 'paid'],
  [{ code: '0', amount: '5000', order_id: paymentId, Shaparak_Ref_Id: 77 }, 'paid'],
  [{ code: 0, amount: 50_000, order_id: paymentId }, 'mismatch'],
  [{ code: 0, amount: 500, order_id: paymentId }, 'mismatch'],
  [{ code: 0, amount: 5_000, order_id: 'another' }, 'mismatch'],
  [{ code: -49, amount: 4_000 }, 'mismatch'],
  [{ code: -49, order_id: 'another' }, 'mismatch'],
])('NextPay verify %j: %s', async (body, kind) => {
  will([200, body]);
  expect((await gateways.nextpay.verify(reference)).kind).toBe(kind);
  // Toman on the wire, and declared as such.
  expect(Object.fromEntries(new URLSearchParams(asked[0]?.body))).toMatchObject({ amount: '5000', currency: 'IRT' });
});

test.each([
  [-90, 'confirmed'],
  [-91, 'failed'],
  [-92, 'failed'],
  [-93, 'by-hand'],
  [-94, 'by-hand'],
  [-42, 'unknown'],
])('NextPay refund %i: %s', async (code, kind) => {
  will([200, { code }]);
  expect((await gateways.nextpay.refund(refund)).kind).toBe(kind);
  expect(asked[0]?.body).toContain('refund_request=yes_money_back');
});

test.each([
  [{ code: -1, trans_id: paymentId }, 'started'],
  [{ code: -33 }, 'refused'],
  [{ code: -30 }, 'refused'],
  [{ code: -42 }, 'unknown'],
  [{ code: -1 }, 'unknown'],
])('NextPay token %j: %s', async (body, kind) => {
  will([200, body]);
  const request = { paymentId, amountToman: 5_000, callbackUrl: 'https://x.example/', description: 'x' };
  expect((await gateways.nextpay.start(request)).kind).toBe(kind);
});

const idpayPaid = { track_id: '9', id: reference.gatewayReference, order_id: paymentId, amount: '50000' };

test.each([
  [200, { ...idpayPaid, status: 100 }, 'paid'],
  [200, { ...idpayPaid, status: '101', amount: 50_000 }, 'paid'],
  [200, { ...idpayPaid, status: 200 }, 'paid'],
  [200, { ...idpayPaid, status: 100, amount: '5000' }, 'mismatch'],
  [200, { ...idpayPaid, status: 100, amount: '500000' }, 'mismatch'],
  [200, { ...idpayPaid, status: 100, order_id: 'another' }, 'mismatch'],
  [200, { ...idpayPaid, status: 100, id: 'another' }, 'mismatch'],
  [200, { ...idpayPaid, status: 100, track_id: null }, 'unknown'],
  [200, { ...idpayPaid, status: 10 }, 'unknown'],
  [200, { ...idpayPaid, status: 1 }, 'not-paid'],
  [200, { ...idpayPaid, status: 7 }, 'not-paid'],
  [405, { error_code: 53, error_message: 'x' }, 'not-paid'],
  [405, { error_code: '54', error_message: 'x' }, 'not-paid'],
  [400, { error_code: 52, error_message: 'x' }, 'not-paid'],
  [403, { error_code: 12, error_message: 'x' }, 'unknown'],
  [403, '<html>', 'unknown'],
  [200, {}, 'unknown'],
])('IDPay verify %i %j: %s', async (status, body, kind) => {
  will([status, body]);
  expect((await gateways.idpay.verify(reference)).kind).toBe(kind);
  expect(asked[0]?.key).toBe('key');
});

test.each([
  ['1', 'in-bank'],
  ['2', 'failed'],
  ['3', 'failed'],
  ['4', 'in-bank'],
  ['5', 'reversed'],
  ['6', 'reversed'],
  ['7', 'cancelled'],
  ['8', 'in-bank'],
  ['10', 'paid'],
  ['100', 'verified'],
  ['101', 'verified'],
  ['200', 'verified'],
  ['77', 'unknown'],
])('IDPay inquiry %s: %s', async (status, state) => {
  will([200, { status }]);
  expect(await gateways.idpay.inquire(reference)).toBe(state);
});

test.each([
  ['zarinpal', { authority: 'A', status: 'OK' }, 'ok'],
  ['zarinpal', { authority: 'A', status: 'nok' }, 'nok'],
  ['zarinpal', { authority: 'A' }, undefined],
  ['idpay', { id: 'A', status: '10' }, 'ok'],
  ['idpay', { id: 'A', status: '7' }, 'nok'],
  ['idpay', { id: 'A', status: '8' }, undefined],
  ['nextpay', { trans_id: 'A', np_status: 'OK' }, undefined],
] as const)('the return from %s with %j means %s', (name, parameters, outcome) => {
  expect(gateways[name].readReturn(parameters)).toEqual({ gatewayReference: 'A', outcome });
});

test('a status of 500 or more, a redirect and silence are unknown, with all of them', async () => {
  for (const gateway of Object.values(gateways)) {
    will([502, '<html>']);
    expect((await gateway.verify(reference)).kind).toBe('unknown');
    will([301, '']);
    expect((await gateway.verify(reference)).kind).toBe('unknown');
  }
});
