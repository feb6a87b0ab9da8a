import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createGracefulDisconnects, type GracefulDisconnects, type Sessions } from './graceful-disconnect.ts';

let present: string[];
let ended: string[];
let disconnects: GracefulDisconnects;
const sessions: Sessions = {
  listPresent: async () => present,
  end: async (names) => {
    ended.push(...names);
    present = present.filter((name) => !names.includes(name));
  },
};

beforeEach(() => {
  vi.useFakeTimers();
  [present, ended] = [['one', 'two', 'three'], []];
  disconnects = createGracefulDisconnects();
});
afterEach(() => vi.useRealTimers());

test('a device that disconnects in seven seconds is left alone, another one is ended', async () => {
  disconnects.start(['one', 'two'], sessions);
  await vi.advanceTimersByTimeAsync(6_500);
  expect(ended).toEqual([]);
  present = ['two', 'three'];
  await vi.advanceTimersByTimeAsync(600);
  expect(ended).toEqual(['two']);
  expect(vi.getTimerCount()).toBe(0);
});

test('devices that stay are told every second, if the daemon can repeat it', async () => {
  const repeated: string[][] = [];
  const repeat = async (names: readonly string[]) => repeated.push([...names]);
  disconnects.start(['one', 'two'], { ...sessions, repeat });
  await vi.advanceTimersByTimeAsync(900);
  expect(repeated).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(repeated).toEqual([['one', 'two']]);
  present = ['two'];
  await vi.advanceTimersByTimeAsync(10_000);
  expect(repeated).toEqual([['one', 'two'], ...Array.from({ length: 5 }, () => ['two'])]);
});

test('a device that is let in again is left alone', async () => {
  disconnects.start(['one', 'two'], sessions);
  await vi.advanceTimersByTimeAsync(500);
  expect(disconnects.cancel(['one', 'three'])).toEqual(['one']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ended).toEqual(['two']);
});

test('a second disconnect starts the seven seconds again', async () => {
  disconnects.start(['one'], sessions);
  await vi.advanceTimersByTimeAsync(6_900);
  disconnects.start(['one'], sessions);
  await vi.advanceTimersByTimeAsync(6_900);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(300);
  expect(ended).toEqual(['one']);
});

test('a daemon that has exited is not asked again', async () => {
  const listPresent = vi.fn().mockRejectedValue(new Error('openvpn closed the connection'));
  disconnects.start(['one'], { ...sessions, listPresent });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(listPresent).toHaveBeenCalledTimes(1);
  expect(disconnects.cancel(['one'])).toEqual([]);
  expect(ended).toEqual([]);
});
