import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_AUDIENCE } from '@raha/contract/node/protocol.ts';
import { afterAll, afterEach, expect, test } from 'vitest';
import { createApiClient } from './api-client.ts';
import { loadIdentity } from './identity.ts';

const settings = {
  wireguard: { listenPort: 51820, address4: '10.64.0.1/16', address6: 'fd72::1/64', mtu: 1420 },
  samplePeriodMs: 2_000,
  reportPeriodMs: 4_000,
};
const NODE_ID = '0197f000-0000-7000-8000-000000000001';
let server: Server;

const directory = mkdtempSync(join(tmpdir(), 'raha-identity-'));

afterEach(() => server.close());
afterAll(() => rmSync(directory, { recursive: true }));

async function answering(answer: (request: IncomingMessage) => { status: number; body: unknown; date?: string }) {
  server = createServer((request, response) => {
    request.resume();
    const { status, body, date } = answer(request);
    if (date) response.setHeader('date', date);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const identity = await loadIdentity(directory);
  await identity.register('token', { nodeId: NODE_ID, generation: 3, settings });
  const now = () => Date.parse('2026-01-01T00:00:00Z');
  return {
    identity,
    client: createApiClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, identity, now),
  };
}

const claimsOf = (request: IncomingMessage) =>
  JSON.parse(Buffer.from(request.headers.authorization?.split('.')[1] ?? '', 'base64url').toString());

test('a request is signed for its method, path, query and body', async () => {
  let authorization = '';
  let target = '';
  const { client, identity } = await answering((request) => {
    authorization = request.headers.authorization ?? '';
    target = request.url ?? '';
    return { status: 200, body: { kind: 'unchanged', generation: 7 } };
  });
  expect(await client.getDesiredState({ after: 7, epoch: 'a'.repeat(32) })).toEqual({
    kind: 'unchanged',
    generation: 7,
  });
  expect(target).toMatch(/\/desired-state\?after=/);
  const [head = '', claims = '', signature = ''] = authorization.replace('Bearer ', '').split('.');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: identity.signingPublicKey }, format: 'jwk' });
  expect(verify(null, Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    iss: NODE_ID,
    sub: NODE_ID,
    aud: NODE_AUDIENCE,
    gen: 3,
    iat: 1_767_225_600,
    exp: 1_767_225_660,
    htm: 'GET',
    htu: target,
    bh: '',
  });
});

test('a node with a wrong clock learns the time from the refusal, and keeps it', async () => {
  const date = 'Sat, 06 Jun 2026 12:00:00 GMT';
  const seen: number[] = [];
  const { client } = await answering((request) => {
    const { iat } = claimsOf(request);
    seen.push(iat);
    const isRight = Math.abs(iat - Date.parse(date) / 1000) < 5;
    return isRight
      ? { status: 200, body: { kind: 'unchanged', generation: 1 } }
      : { status: 401, body: { code: 'node_unauthenticated' }, date };
  });
  await client.getDesiredState({ after: 1, epoch: 'a'.repeat(32) });
  await client.getDesiredState({ after: 1, epoch: 'a'.repeat(32) });
  expect(seen.length).toBe(3);
});

test('a refusal keeps its code; an invalid or missing answer is an error, never an empty list', async () => {
  const answers = [
    { status: 403, body: { code: 'node_superseded' } },
    { status: 200, body: {} },
    { status: 200, body: { kind: 'snapshot', generation: 1, settings } },
  ];
  const { client } = await answering(() => answers.shift() ?? { status: 500, body: 'down' });
  const ask = () => client.getDesiredState({ after: 1, epoch: 'a'.repeat(32) });
  await expect(ask()).rejects.toMatchObject({ status: 403, code: 'node_superseded' });
  await expect(ask()).rejects.toThrow();
  await expect(ask()).rejects.toThrow();
  await expect(ask()).rejects.toMatchObject({ status: 500 });
});

test('the refusal of another protocol version contains the sentence of the server, and is not retried soon', async () => {
  const message = 'This agent uses version 2 of the node protocol and this server version 3. Upgrade the agent.';
  const { client } = await answering(() => ({ status: 409, body: { code: 'node_agent_too_old', message } }));
  const refused = client.getDesiredState({ after: 1, epoch: 'a'.repeat(32) });
  await expect(refused).rejects.toMatchObject({ isLasting: true, message: expect.stringContaining(message) });
});
