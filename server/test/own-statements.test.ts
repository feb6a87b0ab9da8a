import { afterAll, beforeAll, expect, test } from 'vitest';
import { withStatements } from './own-statements.ts';
import { eventually, openTestWorld, type TestWorld } from './world.ts';

let world: TestWorld;
beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(() => world.close());

const signIn = async (email: string) => {
  const path = `${world.origin}/api/v1/auth/send-verification-code`;
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ email }) });
  expect(status).toBe(200);
};

test('of the statements during a work those of its own requests are shown, and no others', async () => {
  const seen: string[] = [];
  let ends = false;
  let others = 0;
  // As a schedule does that asks a bank of the same process: it was there before.
  const other = (async () => {
    while (!ends) {
      await fetch(`${world.origin}/api/v1/site/prices`);
      others += 1;
    }
  })();
  const see = (text: string, run: () => unknown) => {
    seen.push(text);
    return run();
  };
  await withStatements(see, async () => {
    const before = others;
    await eventually(() => others > before + 5 || undefined);
  });
  expect(seen).toEqual([]);
  await withStatements(see, () => signIn('own@mail.example'));
  ends = true;
  await other;
  expect(seen.some((text) => /insert/i.test(text))).toBe(true);
});
