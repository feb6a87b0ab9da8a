import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFarewells, type Farewells, type Sessions } from './graceful-disconnect.ts';

let present: string[];
let ended: string[];
let farewells: Farewells;
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
  farewells = createFarewells();
});
afterEach(() => vi.useRealTimers());

test('who leaves is not ended; who has not heard it in seven seconds is; and nobody else', async () => {
  farewells.begin(['one', 'two'], sessions);
  await vi.advanceTimersByTimeAsync(6_500);
  expect(ended).toEqual([]);
  present = ['two', 'three'];
  await vi.advanceTimersByTimeAsync(600);
  expect(ended).toEqual(['two']);
  expect(vi.getTimerCount()).toBe(0);
});

test('who stays is told each second, where the daemon may have said it in vain', async () => {
  const told: string[][] = [];
  const tellAgain = async (names: readonly string[]) => told.push([...names]);
  farewells.begin(['one', 'two'], { ...sessions, tellAgain });
  await vi.advanceTimersByTimeAsync(900);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(200);
  expect(told).toEqual([['one', 'two']]);
  present = ['two'];
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toEqual([['one', 'two'], ...Array.from({ length: 5 }, () => ['two'])]);
});

test('who is let in again is left alone', async () => {
  farewells.begin(['one', 'two'], sessions);
  await vi.advanceTimersByTimeAsync(500);
  expect(farewells.interrupt(['one', 'three'])).toEqual(['one']);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ended).toEqual(['two']);
});

test('who is told again in the meantime has all the time again', async () => {
  farewells.begin(['one'], sessions);
  await vi.advanceTimersByTimeAsync(6_900);
  farewells.begin(['one'], sessions);
  await vi.advanceTimersByTimeAsync(6_900);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(300);
  expect(ended).toEqual(['one']);
});

test('a daemon that has ended is not asked again', async () => {
  const listPresent = vi.fn().mockRejectedValue(new Error('openvpn hung up'));
  farewells.begin(['one'], { ...sessions, listPresent });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(listPresent).toHaveBeenCalledTimes(1);
  expect(farewells.interrupt(['one'])).toEqual([]);
  expect(ended).toEqual([]);
});
