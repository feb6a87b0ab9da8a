import { ApiError } from '@raha/contract/client.ts';
import type { Dashboard } from '@raha/contract/public/dashboard.ts';
import { QueryClient } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dropFiles, type KnownFile, keepFigures, keepFile, readLastKnown } from './last-known.ts';
import { orLastKnown } from './or-last-known.ts';
import { clearSession } from './session.ts';

const kept = new Map<string, string>();
const jar = { cookie: '' };

beforeEach(() => {
  kept.clear();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  });
  vi.stubGlobal('document', jar);
  vi.stubGlobal('location', { protocol: 'https:' });
  signIn('niloufar');
});
afterEach(() => vi.unstubAllGlobals());

function signIn(id: string): void {
  jar.cookie = `auth_token=a.b.c; user_data=${encodeURIComponent(JSON.stringify({ id, status: 'active' }))}`;
}

const dashboardOf = (id: string) => ({ user: { id, name: id, balance: 24_310 } }) as unknown as Dashboard;
const fileOf = (configId: string): KnownFile => ({
  configId,
  configName: 'گوشی',
  location: { country: 'DE', city: 'Frankfurt' },
  filename: `${configId}.conf`,
  content: 'data:text/plain;base64,YQ==',
});

test('figures and files of the same user stand beside each other, the latest file of each config first', () => {
  keepFile('niloufar', fileOf('phone'));
  keepFigures(dashboardOf('niloufar'), 1_000);
  keepFile('niloufar', fileOf('laptop'));
  keepFile('niloufar', fileOf('phone'));
  expect(readLastKnown()?.figures).toEqual({ at: 1_000, dashboard: dashboardOf('niloufar') });
  expect(readLastKnown()?.files.map(({ configId }) => configId)).toEqual(['phone', 'laptop']);
  dropFiles((id) => id !== 'laptop');
  expect(readLastKnown()?.files.map(({ configId }) => configId)).toEqual(['phone']);
});

test('what belongs to somebody else is not read but deleted', () => {
  keepFigures(dashboardOf('niloufar'), 1_000);
  signIn('sara');
  expect(readLastKnown()).toBeUndefined();
  expect(kept.size).toBe(0);
});

test('a late answer of the user before is not kept', () => {
  signIn('sara');
  keepFigures(dashboardOf('niloufar'), 1_000);
  keepFile('niloufar', fileOf('phone'));
  expect(kept.size).toBe(0);
});

test('nothing stays after the session, nor comes after it', () => {
  keepFigures(dashboardOf('niloufar'), 1_000);
  clearSession();
  expect(kept.size).toBe(0);
  jar.cookie = '';
  keepFigures(dashboardOf('niloufar'), 2_000);
  expect(kept.size).toBe(0);
});

test('what is there and is not ours is deleted', () => {
  kept.set('last-known', 'no json');
  expect(readLastKnown()).toBeUndefined();
  expect(kept.size).toBe(0);
});

test('storage that is forbidden changes nothing else', () => {
  const refuse = () => {
    throw new Error('forbidden');
  };
  vi.stubGlobal('localStorage', { getItem: refuse, setItem: refuse, removeItem: refuse });
  keepFigures(dashboardOf('niloufar'), 1_000);
  expect(readLastKnown()).toBeUndefined();
  clearSession();
});

const network = new ApiError(0, 'network', 'network');
const read = (client: QueryClient) => client.getQueryData(['dashboard', 'page']);

test('without an answer the figures of the last visit are shown, with their time; a refusal shows none', async () => {
  keepFigures(dashboardOf('niloufar'), 1_000);
  for (const [failure, shown] of [
    [network, true],
    [new ApiError(502, 'unknown', 'unknown'), true],
    [new ApiError(500, 'internal', 'خطای سرور'), false],
    [new ApiError(401, 'unauthenticated', ''), false],
  ] as const) {
    const client = new QueryClient();
    await expect(orLastKnown(client, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(read(client)).toEqual(shown ? { ...dashboardOf('niloufar'), knownAt: 1_000 } : undefined);
  }
});

test('what an open page has is newer than what was kept', async () => {
  keepFigures(dashboardOf('niloufar'), 1_000);
  const client = new QueryClient();
  client.setQueryData(['dashboard', 'page'], 'on the screen');
  await expect(orLastKnown(client, () => Promise.reject(network))).rejects.toBe(network);
  expect(read(client)).toBe('on the screen');
});

test('an answer is kept, and replaces what stood in for it', async () => {
  expect(await orLastKnown(new QueryClient(), async () => dashboardOf('niloufar'))).toEqual(dashboardOf('niloufar'));
  expect(readLastKnown()?.figures?.dashboard).toEqual(dashboardOf('niloufar'));
});
