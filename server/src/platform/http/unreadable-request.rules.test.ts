import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { createHttp } from './create-http.ts';

/** Answers that come before there is a request carry the same headers as all others (found by the fuzzer). */
let app: Awaited<ReturnType<typeof createHttp>>;
let port = 0;

beforeAll(async () => {
  app = await createHttp({
    publicUrl: 'https://raha.example',
    log: createLog('silent'),
    clock: systemClock,
    trustedProxies: ['loopback'],
  });
  app.get('/things/:id', async () => ({ success: true }));
  port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => app.close());

/** Everything that the server sends until it closes the connection. */
async function exchange(bytes: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString();
    });
    socket.on('end', () => resolve(answer));
    socket.on('error', reject);
  });
}

const rest = ' HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';

test.each([
  ['a path with an escape that is none', `GET /things/%zz${rest}`, 404, 'not_found'],
  ['a path with bytes that are no UTF-8', `GET /things/%ff%fe${rest}`, 404, 'not_found'],
  ['a parameter of 300 characters', `GET /things/${'x'.repeat(300)}${rest}`, 404, 'not_found'],
  ['a path with raw bytes', `GET /things/\xff${rest}`, 400, 'malformed_body'],
  ['no HTTP', 'hello\r\n\r\n', 400, 'malformed_body'],
  [
    'headers of 40 KB',
    `GET /things/1 HTTP/1.1\r\nhost: x\r\ncookie: ${'x'.repeat(40_000)}\r\n\r\n`,
    431,
    'malformed_body',
  ],
  [
    'a length and chunks',
    'POST /things/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
    'malformed_body',
  ],
  [
    'two lengths',
    'POST /things/1 HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nabcd',
    400,
    'malformed_body',
  ],
])('%s is refused safely', async (_what, bytes, status, code) => {
  const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(head.toLowerCase()).toMatch(/\r\nx-content-type-options: nosniff\r\n/);
  expect(head.toLowerCase()).toMatch(/\r\nstrict-transport-security: max-age=31536000; includesubdomains\r\n/);
  expect(head.toLowerCase()).toMatch(/\r\ncontent-security-policy: default-src 'none'/);
  expect(head.toLowerCase()).toMatch(/\r\nconnection: close/);
  expect(JSON.parse(body)).toMatchObject({
    success: false,
    code,
    message: expect.stringMatching(/[\u0600-\u06ff]{2}/),
  });
});

test('an unreadable HEAD is answered without a body', async () => {
  expect(await exchange(`HEAD /things/\xff${rest}`)).toMatch(/^HTTP\/1.1 400 [\s\S]*\r\n\r\n$/);
});
