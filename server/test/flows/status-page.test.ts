import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeStatus } from '../../src/app/status/publish.ts';
import { openSigned, openStatusKey, type PartKind, type Status } from '../../src/app/status/status.ts';
import { LOOK_FOR_CAUSES } from '../../src/app/watch-worker.ts';
import { listNodes } from '../../src/modules/fleet/nodes.ts';
import { holdPayments } from '../../src/modules/payments/hold.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { noteRun } from '../../src/platform/schedule-runs.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** The status page: what it says is measured. That it stands while PostgreSQL is stopped: T-C8, `hung-postgres.test.ts`. */
const clock = manualClock(new Date('2026-11-25T08:00:00Z'));
let world: TestWorld;
let node: FakeNode;
let nodeName: string;
let last: Status | undefined;

beforeAll(async () => {
  world = await openTestWorld({ clock, keepsNodes: false });
  node = await enrolFakeNode(world);
  nodeName = (await listNodes(world.deps.db))[0]?.name ?? '';
});
afterAll(() => world.close());

const write = async () => {
  last = await writeStatus(world.deps, last);
  return last;
};
const stateOf = (status: Status, kind: PartKind, name = '') =>
  status.parts.find((part) => part.kind === kind && part.name === name)?.state;
const page = async (path = '/status/') => {
  const response = await fetch(world.origin + path);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const isHidden = (text: string) => /id="old" role="status" hidden/.test(text);

test('before it was written first there is none; then it says what was measured, in two languages', async () => {
  expect((await page()).status).toBe(503);
  // A worker that has not begun yet is not one that does not work.
  expect(stateOf(await write(), 'mail')).toBe('unknown');
  await noteRun(world.deps.db, LOOK_FOR_CAUSES, clock.now());
  await node.report([]);
  const status = await write();
  expect(status.database).toBe('up');
  const country = status.parts.find(({ kind }) => kind === 'country');
  expect(country?.state).toBe('up');
  expect(stateOf(status, 'usage')).toBe('up');
  // Nobody has paid: nothing is known.
  expect(stateOf(status, 'gateway', 'zarinpal')).toBe('unknown');
  expect(stateOf(status, 'payments')).toBe('unknown');
  const persian = await page('/status');
  expect(persian.text).toContain('هر چه اندازه گرفته‌ایم کار می‌کند.');
  expect(persian.text).toMatch(/<html lang="fa" dir="rtl">/);
  expect(isHidden(persian.text)).toBe(true);
  expect((await page('/status/en.html')).text).toContain('Everything that we measured works.');
  expect(persian.headers.get('content-security-policy')).toMatch(/style-src 'sha256-/);
  expect(Buffer.byteLength(persian.text)).toBeLessThan(30_000);
});

test('names, addresses and numbers of servers, and no secret, stand in any file', async () => {
  await write();
  const directory = world.deps.config.statusDir;
  const names = readdirSync(directory);
  expect(names.sort()).toEqual(['en.html', 'index.html', 'status.json']);
  const all = names.map((name) => readFileSync(join(directory, name), 'utf8')).join('\n');
  for (const secret of [nodeName, '203.0.113', '127.0.0.1', 'postgres', world.deps.config.dataDir, '@'])
    expect([secret, all.includes(secret)]).toEqual([secret, secret === '@' && /@media/.test(all)]);
});

test('what does not work is said: a silent country, a worker that is gone, payments that are held', async () => {
  clock.advance(181_000);
  const status = await write();
  expect(status.parts.find(({ kind }) => kind === 'country')?.state).toBe('down');
  expect(stateOf(status, 'usage')).toBe('degraded');
  expect(stateOf(status, 'mail')).toBe('down');
  expect((await page('/status/en.html')).text).toContain('A part of the service does not work as it should.');
  await holdPayments(world.deps, { actor, from: clock.now(), reason: 'a drill' });
  expect(stateOf(await write(), 'payments')).toBe('down');
});

describe('signature', () => {
  test('a copy elsewhere is known by the key; one that was changed is not', async () => {
    const written = await write();
    const key = openStatusKey(world.deps.vault).publicKey;
    const copy = mkdtempSync(join(tmpdir(), 'raha-status-'));
    cpSync(world.deps.config.statusDir, copy, { recursive: true });
    const text = readFileSync(join(copy, 'status.json'), 'utf8');
    expect(openSigned(text, key)).toEqual(written);
    expect(openSigned(text.replace('down', 'up'), key)).toBeUndefined();
    expect(openSigned('{}', key)).toBeUndefined();
    rmSync(copy, { recursive: true });
  });
});

test('a file that is not renewed says that it is old', async () => {
  await write();
  expect(isHidden((await page()).text)).toBe(true);
  clock.advance(91_000);
  expect(isHidden((await page()).text)).toBe(false);
});

test('the database is away: the page says so, and lists the same parts', async () => {
  const before = await write();
  const status = await writeStatus({ ...world.deps, watch: { ...world.deps.watch, state: () => 'away' } }, before);
  expect(status.database).toBe('away');
  expect(status.parts.map(({ kind, name }) => [kind, name])).toEqual(
    before.parts.map(({ kind, name }) => [kind, name]),
  );
  expect(stateOf(status, 'account')).toBe('down');
  expect(status.parts.find(({ kind }) => kind === 'country')?.state).toBe('unknown');
  const { status: code, text } = await page();
  expect(code).toBe(200);
  expect(text).toContain('پایگاه دادهٔ ما در دسترس نیست');
  expect(openSigned((await page('/status/status.json')).text, openStatusKey(world.deps.vault).publicKey)).toEqual(
    status,
  );
});
