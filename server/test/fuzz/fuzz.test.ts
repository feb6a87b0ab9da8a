import { Agent } from 'node:http';
import { NODE_BASE, nodeEndpoints } from '@raha/contract/node/protocol.ts';
import { openapi, publicAccess } from '@raha/contract/openapi.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { type Belongings, openBelongings } from '../flows/every-request.ts';
import { codeFor, openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';
import { type Draw, drawOf } from './hostile.ts';
import { type FuzzRequest, makeRequest, type Operation, operationsOf } from './requests.ts';
import { type FuzzAnswer, sendRaw } from './send.ts';

/**
 * Wrong requests to every call of the OpenAPI document and of the node API, from every kind of caller: no 5xx, no hang, no
 * dropped connection, no word about the inside; and the ledger proves itself afterwards.
 *
 * Request number n follows from FUZZ_SEED + n alone: `FUZZ_FROM=n FUZZ_REQUESTS=1` repeats it. The run of every day is short;
 * `npm run test:long -- fuzz` sends 100,000.
 */
const seed = Number(process.env.FUZZ_SEED ?? 20_261_123);
const from = Number(process.env.FUZZ_FROM ?? 0);
const count = Number(process.env.FUZZ_REQUESTS ?? 600);
/** Several at a time, so that a call that waits does not hold up the others. */
const SENDERS = 4;
/** Ids that later requests name. */
const MOST_IDS = 400;

/** What is served beside the APIs. */
const PAGES = [
  '/',
  '/{any}',
  '/en/{any}',
  '/user/{any}',
  '/assets/{any}',
  '/node/{any}',
  '/dev/{any}',
  '/metrics',
  '/livez',
];

type Caller = 'nobody' | 'user' | 'suspended' | 'unfinished' | 'forged' | 'node';

let world: TestWorld;
let has: Belongings;
let node: FakeNode;
let suspended: TestUser;
let unfinished: string;
/** A config on the node that sends wrong reports. */
let configId: string;
let operations: Operation[];
let user: TestUser;
const errors: string[] = [];
const faults: string[] = [];
const ids = new Set<string>();
const statuses = new Map<number, number>();
const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });

beforeAll(async () => {
  const log = createLog('error', { write: (line: string) => void errors.push(line) });
  world = await openTestWorld({ overrides: { minuteLimit: unlimited }, log });
  has = await openBelongings(world);
  node = await enrolFakeNode(world);
  user = has.owner;
  suspended = await world.user();
  await sql`UPDATE users SET status = 'suspended' WHERE id = ${suspended.id}`.execute(world.deps.db);
  unfinished = await signUpHalf();
  const { data } = await user.api.createConfig({ body: { name: 'تبلت', serverId: node.id, protocol: 'wireguard' } });
  configId = data.config.id;
  await node.settle();
  for (const id of [configId, has.serverId, has.configId, node.id, user.id]) ids.add(id);
  const document = (await (await fetch(`${world.origin}${API_BASE}/openapi.json`)).json()) as object;
  const ofNodes = openapi(nodeEndpoints, { title: 'nodes', version: '1', server: NODE_BASE }, publicAccess);
  const pages = {
    paths: Object.fromEntries(PAGES.map((path) => [path, { get: { operationId: path, parameters: [] } }])),
  };
  operations = [
    ...operationsOf(document, API_BASE, false),
    ...operationsOf(ofNodes, NODE_BASE, true),
    ...operationsOf(pages, '', false),
  ];
});
afterAll(async () => {
  agent.destroy();
  await world.close();
});

test('no request breaks the server', { timeout: 3_600_000 * 4 }, async () => {
  let next = from;
  const send = async (): Promise<void> => {
    while (next < from + count) {
      const number = next;
      next += 1;
      await attempt(number);
      if (number % 500 === 499) await recover();
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  expect(faults).toEqual([]);
  // Of every kind: most are refused, and some get through.
  if (count >= 600) expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 401, 403, 404, 422]));
});

test('the server goes on, and the ledger proves itself', async () => {
  expect((await fetch(`${world.origin}/readyz`)).status).toBe(200);
  const { user: owner } = await (await world.user()).api.me();
  expect(owner.balance).toBeGreaterThan(0);
  await world.proveLedger();
});

test('a request that breaks the server is noticed', async () => {
  const made: FuzzRequest = { method: 'GET', path: '/', headers: {} };
  const broken = JSON.stringify({ success: false, code: 'internal', message: 'x', request_id: '1' });
  const answer = (status: number, body: string): FuzzAnswer => ({
    status,
    headers: { 'x-content-type-options': 'nosniff', 'content-type': 'application/json; charset=utf-8' },
    body,
  });
  expect(faultOf(made, answer(500, broken))).toContain('500');
  expect(faultOf(made, answer(400, '{"stack":"at /srv/raha/server/src/main.ts:1"}'))).toContain('the inside');
  expect(faultOf(made, answer(200, '{}'))).toBeUndefined();
});

async function attempt(number: number): Promise<void> {
  const draw = drawOf(seed + number);
  const operation = operations[number % operations.length] as Operation;
  const texts = {
    email: [user.email, 'a@b.ir'],
    epoch: [node.epoch],
    config: [configId],
    configId: [has.configId, configId],
    serverId: [has.serverId],
  };
  const made = authorize(operation, makeRequest(operation, { ids: [...ids], texts }, draw), draw);
  const what = `${number} ${operation.name} ${made.method} ${made.path.slice(0, 200)}`;
  try {
    const answer = await sendRaw(world.origin, agent, made);
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    for (const [id] of answer.body.matchAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g)) if (ids.size < MOST_IDS) ids.add(id);
    const fault = faultOf(made, answer);
    const text = made.body?.toString().slice(0, 300) ?? '';
    if (fault)
      faults.push(`${what}: ${fault}; ${JSON.stringify(made.headers).slice(0, 600)} ${text} ${errors.at(-1) ?? ''}`);
  } catch (error) {
    // The server may close the connection on a body above the limit before all of it was sent.
    const tooLarge = (made.body?.length ?? 0) > 64 * 1024;
    const { code, message } = error as { code?: string; message: string };
    if (!(tooLarge && (code === 'EPIPE' || code === 'ECONNRESET')))
      faults.push(
        `${what}: ${message}; ${JSON.stringify(made.headers).slice(0, 900)} ${made.body?.length} ${made.body?.toString().slice(0, 100)}`,
      );
  }
}

function authorize(operation: Operation, made: FuzzRequest, draw: Draw): FuzzRequest {
  if (made.headers.authorization !== undefined) return made;
  const others: readonly Caller[] = ['nobody', 'suspended', 'unfinished', 'forged', 'node', 'user'];
  const caller = draw.once(3) ? draw.oneOf(others) : operation.isOfNodes ? 'node' : 'user';
  const { method, path, body } = made;
  const tokens: Record<Caller, () => string | undefined> = {
    nobody: () => undefined,
    user: () => user.token,
    suspended: () => suspended.token,
    unfinished: () => unfinished,
    forged: () => `${user.token.slice(0, -4)}AAAA`,
    node: () => node.token(method, path, body?.toString() ?? ''),
  };
  const token = tokens[caller]();
  return token ? { ...made, headers: { ...made.headers, authorization: `Bearer ${token}` } } : made;
}

/** A refusal may be what the contract says: a bank that does not answer is no fault of ours. */
const ALLOWED = new Set(['gateway_unavailable', 'payment_refused', 'rate_unavailable', 'sms_off']);
const INSIDE = /node_modules|\bat .*\.ts:\d|\bSELECT\b.*\bFROM\b|pg_catalog|relation "|syntax error at|ECONN|argon2/;

function faultOf({ method }: FuzzRequest, { status, headers, body }: FuzzAnswer): string | undefined {
  if (status >= 500 && !ALLOWED.has(codeOf(body))) return `${status} ${body.slice(0, 200)}`;
  if (headers['x-content-type-options'] !== 'nosniff') return `${status} may be sniffed`;
  if (method === 'TRACE' && status < 400) return `${status} to TRACE`;
  const type = headers['content-type']?.toString() ?? '';
  if (body !== '' && (type === '' || (/^text|json|xml/.test(type) && !/charset=utf-8/.test(type))))
    return `${status} says ${type || 'no type'}`;
  if (INSIDE.test(body)) return `${status} tells about the inside: ${body.slice(0, 200)}`;
  if (status < 400 || method === 'HEAD') return undefined;
  // A page for a human being.
  if (type.startsWith('text/html')) return undefined;
  return codeOf(body) === '' ? `${status} without a code: ${body.slice(0, 200)}` : undefined;
}

function codeOf(body: string): string {
  try {
    return (JSON.parse(body) as { code?: string }).code ?? '';
  } catch {
    return '';
  }
}

/** A request may have ended the user's session or closed the account: then another user goes on. */
async function recover(): Promise<void> {
  const { status } = await fetch(`${world.origin}${API_BASE}/auth/me`, {
    headers: { authorization: `Bearer ${user.token}` },
  });
  if (status === 200) return;
  user = await world.user({ usdCents: 50_000 });
}

async function signUpHalf(): Promise<string> {
  const email = 'unfinished@mail.example';
  await world.client().sendVerificationCode({ body: { email } });
  return (await world.client().verifyCode({ body: { email, code: await codeFor(world, email) } })).token;
}
