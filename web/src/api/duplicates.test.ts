import { createClient } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { withoutDuplicates } from './duplicates.ts';

/** A server that answers when it is told to. */
function slowServer() {
  const waiting: (() => void)[] = [];
  const seen: string[] = [];
  const send = ((input: string, init: RequestInit) => {
    seen.push(`${init.method} ${input} ${String(init.body ?? '')}`.trim());
    return new Promise<Response>((answer) => waiting.push(() => answer(Response.json({ success: true }))));
  }) as typeof fetch;
  return {
    send,
    seen,
    answerAll: () => {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

describe('duplicate requests', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const post = (body: string) => ({ method: 'POST', body });

  test('what is on its way already is not sent again, and answered with a made-up refusal', async () => {
    const server = slowServer();
    const request = withoutDuplicates(server.send, () => Date.now());
    const first = request('/x', post('1'));
    const second = await request('/x', post('1'));
    expect(await second.json()).toMatchObject({ success: false, message: 'Duplicate request' });
    expect(server.seen).toEqual(['POST /x 1']);
    server.answerAll();
    expect((await first).status).toBe(200);
    void request('/x', post('1'));
    expect(server.seen).toHaveLength(2);
  });

  test('another body, another address, another method and every read are no duplicates', async () => {
    const server = slowServer();
    const request = withoutDuplicates(server.send, () => Date.now());
    void request('/x', post('1'));
    void request('/x', post('2'));
    void request('/y', post('1'));
    void request('/x', { method: 'PUT', body: '1' });
    void request('/x', { method: 'GET' });
    void request('/x', { method: 'GET' });
    expect(server.seen).toHaveLength(6);
  });

  test('a failed request may be tried again at once', async () => {
    const request = withoutDuplicates(
      () => Promise.reject(new TypeError('network')),
      () => Date.now(),
    );
    await expect(request('/x', post('1'))).rejects.toThrow('network');
    await expect(request('/x', post('1'))).rejects.toThrow('network');
  });

  test('after 30 seconds, looked at every ten, a request without an answer no longer stands in the way', async () => {
    const server = slowServer();
    const request = withoutDuplicates(server.send, () => Date.now());
    void request('/x', post('1'));
    await vi.advanceTimersByTimeAsync(29_999);
    expect((await request('/x', post('1'))).status).toBe(409);
    await vi.advanceTimersByTimeAsync(1);
    void request('/x', post('1'));
    expect(server.seen).toHaveLength(2);
    server.answerAll();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('the client throws it as a refusal without a sentence to show', async () => {
    const server = slowServer();
    const api = createClient(publicEndpoints, {
      baseUrl: API_BASE,
      fetch: withoutDuplicates(server.send, () => Date.now()),
    });
    void api.forgotPassword({ body: { email: 'a@mail.example' } });
    await expect(api.forgotPassword({ body: { email: 'a@mail.example' } })).rejects.toMatchObject({
      code: 'duplicate',
      message: 'Duplicate request',
    });
  });
});

describe('time-outs', () => {
  test('10 seconds for calls, 30 for files', async () => {
    const limit = vi.spyOn(AbortSignal, 'timeout');
    const api = createClient(publicEndpoints, {
      baseUrl: API_BASE,
      fetch: async () => Response.json({ success: true }),
    });
    await api.me();
    await api.downloadConfig({ params: { id: '0192f0c1-2b3c-7d4e-8f90-123456789abc' } });
    expect(limit.mock.calls.map(([milliseconds]) => milliseconds)).toEqual([
      limits.http.timeoutMs,
      limits.http.transferTimeoutMs,
    ]);
    limit.mockRestore();
  });

  test('no answer in time is no answer', async () => {
    const api = createClient(publicEndpoints, {
      baseUrl: API_BASE,
      timeoutMs: 1,
      fetch: (_, init) =>
        new Promise((_done, fail) => init?.signal?.addEventListener('abort', () => fail(init.signal?.reason))),
    });
    await expect(api.me()).rejects.toMatchObject({ status: 0, code: 'network' });
  });
});
