import { expect, test } from 'vitest';
import { createRoundTrips } from './round-trips.ts';

/** Devices that answer, or not, at a time that the test sets. Counts the pings of each. */
function createToy(answers: readonly string[]) {
  const toy = { now: 0, pings: new Map<string, number>() };
  const run = async (_command: string, args: readonly string[]) => {
    const address = args.at(-1) ?? '';
    toy.pings.set(address, (toy.pings.get(address) ?? 0) + 1);
    if (!answers.includes(address)) throw new Error('no answer');
    return '64 bytes: time=12.5 ms';
  };
  const trips = createRoundTrips({ run } as never, () => toy.now);
  const targets = ['a', 'b'].map((id) => ({ id, address: id, interfaceName: 'raha0' }));
  /** Reports every four seconds. */
  const pass = async (seconds: number, watched: readonly string[] = []) => {
    for (const end = toy.now + seconds * 1_000; toy.now < end; toy.now += 4_000) {
      trips.refresh(targets);
      trips.watch(watched);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { toy, trips, pass };
}

test('what nobody looks at is measured when it connects, and then four times an hour', async () => {
  const { toy, trips, pass } = createToy(['a', 'b']);
  await pass(3_600);
  expect(trips.find('a')).toBe(12.5);
  expect(Object.fromEntries(toy.pings)).toEqual({ a: 4, b: 4 });
});

test('what somebody looks at is measured every quarter of a minute, until nobody does', async () => {
  const { toy, pass } = createToy(['a', 'b']);
  await pass(120, ['a']);
  expect(toy.pings.get('a')).toBeGreaterThanOrEqual(7);
  expect(toy.pings.get('b')).toBe(1);
  await pass(24);
  const before = toy.pings.get('a');
  await pass(120);
  expect(toy.pings.get('a')).toBe(before);
});

test('a device that does not answer yet is asked three times soon', async () => {
  const { toy, pass } = createToy([]);
  await pass(60);
  expect(toy.pings.get('a')).toBe(3);
});
