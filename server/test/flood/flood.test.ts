import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BrowserClient } from '../browser-client.ts';
import { freePort } from '../free-port.ts';
import { becomesReady, spawnServer } from '../money/server-process.ts';
import { addPasskey } from '../passkeys.ts';
import type { SoftwareAuthenticator } from '../software-authenticator.ts';
import { codeFor, eventually, openTestWorld, PASSWORD, type TestWorld } from '../world.ts';
import { SHARED_ADDRESS } from './attack.ts';

/**
 * Owners sign in while strangers attack sign-in, reset, registration and codes. In CI a few of both on the server of the
 * test, where only success counts. `FLOOD=full` (npm run test:long -- flood): 200 connections against a server process of
 * its own, a hundred owners; prints how long they waited.
 */
const isFull = process.env.FLOOD === 'full';
const size = isFull
  ? { connections: 200, owners: 100, warmUpMs: 90_000, betweenMs: 250 }
  : { connections: 24, owners: 6, warmUpMs: 1_000, betweenMs: 0 };

interface Owner {
  readonly email: string;
  readonly browser: BrowserClient;
  readonly way: 'code' | 'password' | 'passkey';
  readonly device?: SoftwareAuthenticator;
}

let world: TestWorld;
/** The site under attack: the world's own server, or the spawned one. */
let site: TestWorld;
let server: ChildProcess | undefined;
const dataDir = mkdtempSync(join(tmpdir(), 'raha-flood-'));
const owners: Owner[] = [];

beforeAll(async () => {
  world = await openTestWorld();
  site = world;
  if (isFull) {
    const port = await freePort();
    server = spawnServer(world, 'server', { port, dataDir });
    await becomesReady(server);
    const origin = `http://127.0.0.1:${port}`;
    const client = (token?: string) =>
      createClient(publicEndpoints, {
        baseUrl: origin + API_BASE,
        headers: (): Record<string, string> => (token ? { authorization: `Bearer ${token}` } : {}),
      });
    site = { ...world, origin, client };
  }
  for (let index = 0; index < size.owners; index += 1) owners.push(await openOwner(index));
}, 180_000);
afterAll(async () => {
  server?.kill();
  await world.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** An owner in the browser of the account. Every second one is behind the address that the attackers share. */
async function openOwner(index: number): Promise<Owner> {
  const email = `owner${index}@mail.example`;
  const address = index % 2 === 0 ? SHARED_ADDRESS : `192.0.2.${index}`;
  const browser = new BrowserClient(site, { 'x-forwarded-for': address });
  const way = (['code', 'password', 'passkey'] as const)[index % 3] as Owner['way'];
  expect((await browser.post('/auth/send-verification-code', { email })).status).toBe(200);
  const verificationCode = await codeFor(world, email);
  await browser.post('/auth/complete-registration', { email, fullName: 'سارا احمدی', verificationCode });
  if (way === 'code') return { email, browser, way };
  const body = { password: PASSWORD, password_confirmation: PASSWORD };
  expect((await browser.call('PUT', '/auth/change-password', body)).status).toBe(200);
  if (way === 'password') return { email, browser, way };
  const { device } = await addPasskey(site, { api: site.client(browser.token) });
  // A passkey lets in from any browser.
  const elsewhere = index % 4 === 1;
  return { email, browser: elsewhere ? new BrowserClient(site, { 'x-forwarded-for': address }) : browser, way, device };
}

/** Signs in; returns the last answer and the milliseconds from the first request to it. */
async function signIn({ email, browser, way, device }: Owner) {
  const start = performance.now();
  const answer = await enter();
  return { status: answer.status, code: answer.body.code, way, milliseconds: performance.now() - start };

  async function enter() {
    if (way === 'password') return await browser.post('/auth/login', { email, password: PASSWORD });
    if (way === 'passkey') {
      const options = await browser.post('/auth/passkey/options', undefined);
      const data = options.body.data as { options: Parameters<SoftwareAuthenticator['get']>[0] } | undefined;
      if (!data || !device) return options;
      return await browser.post('/auth/passkey', { credential: device.get(data.options) });
    }
    const before = codesTo(email).length;
    const sent = await browser.post('/auth/send-verification-code', { email });
    if (sent.status !== 200) return sent;
    // Strangers ask for codes of this address, too; only this browser's own works here.
    for (let next = before; ; next += 1) {
      const code = await eventually(() => codesTo(email)[next]);
      const verified = await browser.post('/auth/verify-code', { email, code });
      if (verified.status === 200 || verified.body.code !== 'code_invalid') return verified;
    }
  }
}

/** The codes that were mailed to an address for signing in, in their order. */
const codesTo = (email: string) =>
  world.mails
    .filter(({ to, subject }) => to === email && subject.includes('کد ورود'))
    .map(({ text }) => /^\d{6,8}$/m.exec(text)?.[0]);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('S3, S4, S6 while strangers attack', () => {
  test('every owner signs in, by code, password and passkey', async () => {
    // The pause between two codes of one browser.
    if (!isFull) await forgetCodes();
    const emails = owners.map(({ email }) => email);
    const script = join(import.meta.dirname, 'attack.ts');
    const attackers = spawn(process.execPath, [script, site.origin, String(size.connections), ...emails], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let report = '';
    attackers.stdout.on('data', (data: Buffer) => {
      report += String(data);
    });
    const ended = new Promise((resolve) => attackers.once('close', resolve));
    await pause(size.warmUpMs);
    const signIns = owners.map(async (owner, index) => {
      await pause(index * size.betweenMs);
      return await signIn(owner);
    });
    const outcomes = await Promise.all(signIns);
    attackers.stdin.end();
    await ended;
    expect(outcomes.filter(({ status }) => status !== 200)).toEqual([]);
    expect(Object.keys(JSON.parse(report) as object).length).toBeGreaterThan(4);
    if (isFull) print(outcomes, report);
  }, 600_000);

  test('a stranger who uses up the calls of a network stops no browser that has signed in before', async () => {
    const request = { ip: SHARED_ADDRESS } as FastifyRequest;
    for (const kind of ['login', 'code', 'passkey', 'reset', 'register'])
      for (let call = 0; call < limits.verificationCode.perNetworkPerHour; call += 1)
        world.deps.networkLimit.tryTake(request, kind);
    const stranger = new BrowserClient(world, { 'x-forwarded-for': SHARED_ADDRESS });
    const refused = await stranger.post('/auth/login', { email: 'nobody@mail.example', password: PASSWORD });
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    const behind = owners.filter((_, index) => index % 2 === 0).slice(0, 3);
    await forgetCodes();
    for (const owner of isFull ? [] : behind) expect(await signIn(owner)).toMatchObject({ status: 200 });
  });
});

/** Owners ask for their next code without waiting for a minute. */
async function forgetCodes(): Promise<void> {
  await sql`DELETE FROM email_challenge`.execute(world.deps.db);
}

function print(outcomes: readonly { way: string; milliseconds: number }[], report: string): void {
  const line = (name: string, times: readonly number[]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
    return `${name}: ${times.length} owners, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, slowest ${at(1)} ms`;
  };
  const times = (way?: string) => outcomes.filter((one) => !way || one.way === way).map((one) => one.milliseconds);
  const lines = ['code', 'password', 'passkey'].map((way) => line(way, times(way)));
  process.stdout.write(`${[line('all', times()), ...lines, `attackers: ${report}`].join('\n')}\n`);
}
