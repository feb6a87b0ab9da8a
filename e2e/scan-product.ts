import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_BASE } from '@raha/contract/public/table.ts';
import { drawOf } from '../server/test/fuzz/hostile.ts';
import { operationsOf, plainRequest } from '../server/test/fuzz/requests.ts';
import { signUpFurnished } from './world/furnish.ts';
import { openNumberNode } from './world/number-node.ts';
import { createSite } from './world/site.ts';
import { signUp, type TestUser } from './world/user.ts';

/**
 * For `npm run scan`: starts the product, and before it a proxy that signs every request in as a user with content on every
 * screen, so that scanners, which know nothing of sessions, stay signed in for hours. Prints the proxy's address and one
 * valid request for each call as one line of JSON, and ends when its input does.
 */
const site = await createSite(async () => ({ USD_RATE_TOMAN: '100000' }));
const numbers = await openNumberNode(site);
const product = site.controlPlane.url;
const other = await signUp(product, site.mailbox, 'other@mail.example');
let people = 0;
let user = await signUpAgain();

const STREAM = `${API_BASE}/realtime`;
/** A token is valid for fifteen minutes, and a scanner may end its session. */
const RENEW_MS = 60_000;
let renewing = false;
const renewal = setInterval(() => {
  if (renewing) return;
  renewing = true;
  void renew().finally(() => {
    renewing = false;
  });
}, RENEW_MS);

const proxy = createServer(forward);
proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');
console.log(
  JSON.stringify({ address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, requests: await requests() }),
);

process.stdin.resume();
await once(process.stdin, 'end');
clearInterval(renewal);
proxy.closeAllConnections();
proxy.close();
numbers.close();
await site.close();

async function signUpAgain(): Promise<TestUser> {
  people += 1;
  return await signUpFurnished(site, numbers, `scanned${people}@mail.example`, { config: 'گوشی' });
}

async function renew(): Promise<void> {
  // Another user costs a few calls and is always signed in; the earlier one stays as content.
  user = await signUpAgain();
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
  // The panel's stream never ends, and a scanner would wait for its end.
  if (incoming.url?.startsWith(STREAM)) {
    outgoing.writeHead(204).end();
    return;
  }
  const { hostname, port, host } = new URL(product);
  const headers = { ...incoming.headers, host, authorization: `Bearer ${user.token()}` };
  const onward = request({ hostname, port, method: incoming.method, path: incoming.url, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

async function requests(): Promise<unknown[]> {
  const document = (await (await fetch(`${product}${API_BASE}/openapi.json`)).json()) as object;
  const { data } = await user.api.listConfigs();
  const payments = await user.api.listPayments({ query: {} });
  const configId = data.configs[0]?.id ?? '';
  const paymentId = JSON.stringify(payments).match(/[0-9a-f]{8}-[0-9a-f-]{27}/)?.[0] ?? configId;
  const texts = {
    email: [other.email],
    to: [other.email],
    code: ['123456'],
    name: ['نیلوفر آزمون'],
    fullName: ['نیلوفر آزمون'],
    verificationCode: ['123456'],
    password: ['Correct-horse-7'],
    current_password: ['Correct-horse-7'],
    password_confirmation: ['Correct-horse-7'],
    gift_card_code: ['ABCD-EFGH-JKMN-PQRS'],
    giftCardCode: ['ABCD-EFGH-JKMN-PQRS'],
    configId: [configId],
    transaction_id: [paymentId],
    serverId: [numbers.node.id],
    plan_id: ['basic'],
    amount: [50_000],
    page: [1],
    per_page: [15],
    phone: ['09121234567'],
    day: ['2026-11-23'],
    q: ['zarinpal'],
    store: ['cardplus'],
    gateway: ['zarinpal'],
    token: ['x'],
  };
  return operationsOf(document, API_BASE, false)
    .filter(({ upload }) => !upload)
    .map((operation) => {
      const ids = /payment|transaction/i.test(operation.path)
        ? [paymentId]
        : [/server/i.test(operation.path) ? numbers.node.id : configId];
      const { method, path, body } = plainRequest(operation, { ids, texts }, drawOf(1));
      return { name: operation.name, method, path, body: body?.toString() };
    });
}
