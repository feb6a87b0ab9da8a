import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createClient } from './client.ts';
import { publicEndpoints } from './public/table.ts';

/** An answer that begins and does not come to its end: a slow network, as the time runs out or the line breaks. */
describe('an answer that breaks off', () => {
  let server: Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function answerWith(begin: (end: () => void) => void, status = 200) {
    server = createServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"success":true,');
      begin(() => response.destroy());
    });
    await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    return createClient(publicEndpoints, { baseUrl: `http://127.0.0.1:${port}`, timeoutMs: 300 });
  }

  test('is no answer when its time is over, and never an empty one', async () => {
    const api = await answerWith(() => {});
    await expect(api.me()).rejects.toMatchObject({ name: 'ApiError', status: 0, code: 'network' });
  });

  test('is no answer when the line breaks', async () => {
    const api = await answerWith((end) => setTimeout(end, 20));
    await expect(api.me()).rejects.toMatchObject({ name: 'ApiError', status: 0, code: 'network' });
  });

  test('is no answer for a file either', async () => {
    const api = await answerWith((end) => setTimeout(end, 20));
    const download = api.downloadConfig({ params: { id: '01999999-0000-7000-8000-000000000000' } });
    await expect(download).rejects.toMatchObject({ name: 'ApiError', code: 'network' });
  });

  test('is not understood when it is none of ours', async () => {
    server = createServer((_request, response) => response.end('<html>Sign in to the network</html>'));
    await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const api = createClient(publicEndpoints, { baseUrl: `http://127.0.0.1:${port}` });
    await expect(api.me()).rejects.toMatchObject({ name: 'ApiError', code: 'unknown' });
  });

  test('is as any refusal without words when it was one', async () => {
    const api = await answerWith((end) => setTimeout(end, 20), 500);
    await expect(api.me()).rejects.toMatchObject({ status: 500, code: 'unknown' });
  });
});
