import { publicEndpoints } from '@raha/contract/public/table.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
// The samples are loaded when they are first needed; here before, so that no test waits for the modules below them.
import './sample-data.ts';
import { usesSamples, watchSamples, withSamples } from './sample-mode.ts';

const API = '/api/v1';
let sent: string[] = [];

beforeEach(() => {
  sent = [];
  const store = new Map<string, string>();
  vi.stubGlobal('location', new URL('http://raha.example/user/wallet'));
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => store.set(key, value),
  });
});
afterEach(async () => {
  // What is in use is forgotten by real answers.
  for (const path of ['/user/wallet', '/user/wallet/charge', '/user/wallet/verify', '/payments', '/payments/stats'])
    await answering(200)(API + path);
  vi.unstubAllGlobals();
});

/** A server that answers everything alike; 0: not at all. */
function answering(status: number): typeof fetch {
  return withSamples(async (input, init) => {
    sent.push(`${init?.method ?? 'GET'} ${String(input)}`);
    if (status === 0) throw new TypeError('fetch failed');
    return Response.json({ success: status < 400, code: 'internal' }, { status });
  });
}

describe('samples', () => {
  test.each([500, 503, 0])('stand in for a call that failed (%i), and say so', async (status) => {
    const heard = vi.fn();
    const stop = watchSamples(heard);
    const answer = await answering(status)(`${API}/user/wallet`);
    expect(z.parse(publicEndpoints.getWallet.response, await answer.json()).data.balance).toBe(250_000);
    expect(usesSamples()).toBe(true);
    expect(heard).toHaveBeenCalledTimes(1);
    await answering(200)(`${API}/user/wallet`);
    expect(usesSamples()).toBe(false);
    stop();
  });

  test('never for a refusal, nor for what has no sample', async () => {
    expect((await answering(401)(`${API}/user/wallet`)).status).toBe(401);
    expect((await answering(500)(`${API}/user/configs`)).status).toBe(500);
    expect((await answering(500)(`${API}/wallet/transfer`, { method: 'POST', body: '{}' })).status).toBe(500);
    await expect(answering(0)(`${API}/user/configs`)).rejects.toThrow('fetch failed');
    expect(usesSamples()).toBe(false);
  });

  test('have the shapes of the contract', async () => {
    const shapes = [
      ['/user/wallet', 'getWallet'],
      ['/user/wallet/transactions?page=1', 'listWalletTransactions'],
      ['/user/wallet/payment-gateways', 'listPaymentGateways'],
      ['/user/wallet/statement?period=30d', 'getStatement'],
      ['/payments?page=1', 'listPayments'],
      ['/payments/stats', 'getPaymentStats'],
      ['/user/dashboard', 'getDashboard'],
      ['/user/dashboard/traffic?period=7d', 'getDashboardTraffic'],
    ] as const;
    const broken = answering(500);
    for (const [path, call] of shapes) {
      const parsed = z.safeParse(publicEndpoints[call].response as never, await (await broken(API + path)).json());
      expect([path, parsed.error?.issues]).toEqual([path, undefined]);
      await answering(200)(API + path);
    }
  });

  test('the payments contain what the sample wallet was filled with, and follow the filters', async () => {
    const broken = answering(500);
    const list = async (query: string) =>
      z.parse(publicEndpoints.listPayments.response, await (await broken(`${API}/payments?page=1${query}`)).json()).data
        .payments;
    const wallet = z.parse(publicEndpoints.getWallet.response, await (await broken(`${API}/user/wallet`)).json()).data;
    const paid = (await list('&status=completed')).reduce((sum, { amount }) => sum + amount, 0);
    expect(paid).toBe(wallet.stats.totalDeposits);
    expect((await list('')).length).toBeGreaterThan((await list('&status=completed')).length);
    expect(await list('&type=gift_card')).toMatchObject([{ amount: 300_000, status: 'completed' }]);
    expect(await list('&q=nothing-like-this')).toEqual([]);
  });

  test('a payment made and verified credits 100,000 of nobody’s money, once, and asks no server', async () => {
    const broken = answering(500);
    const post = async (path: string, body: unknown) =>
      await (await broken(API + path, { method: 'POST', body: JSON.stringify(body) })).json();
    const charge = z.parse(
      publicEndpoints.chargeWallet.response,
      await post('/user/wallet/charge', { amount: 500_000, payment_method: 'zarinpal' }),
    );
    expect(charge.payment_url).toMatch(/^\/user\/wallet\/charge\?payment=/);
    sent = [];
    // The server is back meanwhile: it must not hear of a payment that it never had.
    const body = JSON.stringify({ transaction_id: charge.transaction_id });
    for (let n = 0; n < 2; n++) {
      const verified = await (await answering(200)(`${API}/user/wallet/verify`, { method: 'POST', body })).json();
      expect(z.parse(publicEndpoints.verifyCharge.response, verified)).toMatchObject({
        amount: 100_000,
        balance: 350_000,
      });
    }
    expect(sent).toEqual([]);
    expect(usesSamples()).toBe(true);
    await answering(200)(`${API}/user/wallet/charge`);
    // What the bank of nobody's has said is on the screen still.
    expect(usesSamples()).toBe(true);
    const list = z.parse(publicEndpoints.listPayments.response, await (await broken(`${API}/payments`)).json());
    expect(list.data.payments[0]).toMatchObject({ status: 'completed', amount: 100_000 });
  });
});
