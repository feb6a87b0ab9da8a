import type { GatewayName } from '@raha/contract/payment-gateways.ts';
import { type KyselyPlugin, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SettlementEntry, writeSettlementFile } from '../../src/adapters/test-bank/settlement.ts';
import { sendRefund } from '../../src/modules/payments/send-refund.ts';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { listSettlementDifferences } from '../../src/modules/settlements/list-settlements.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { selectBalances } from '../balances.ts';
import { payAndVerify, payAtBank } from '../bank.ts';
import { type SeededPayment, seedPayments } from '../seed-payments.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** Settlement files against the real database: audit M13, and number 5 of what issue 19 must show. */
const NOON = new Date('2026-11-10T12:00:00+03:30');

async function withWorld(work: (world: TestWorld, clock: ReturnType<typeof manualClock>) => Promise<void>) {
  const clock = manualClock(NOON);
  const world = await openTestWorld({ clock });
  try {
    await work(world, clock);
    await world.proveLedger();
  } finally {
    await world.close();
  }
}

const houseOf = async ({ deps }: TestWorld) =>
  Object.fromEntries(
    (await selectBalances(deps.db)).filter(({ kind }) => kind === 'house').map(({ code, balance }) => [code, balance]),
  );

const importText = (
  { deps }: TestWorld,
  gateway: GatewayName,
  content: string,
  more: { from?: string; to?: string } = {},
) => importSettlementFile(deps, { actor, gateway, name: 'file.csv', bytes: Buffer.from(content), ...more });

const differences = async ({ deps }: TestWorld, all = false) =>
  (await listSettlementDifferences(deps, { gateway: undefined, all })).map((found) => ({
    ...found,
    short: `${found.kind} ${found.line?.reference ?? found.payment_id ?? found.line?.number}`,
  }));

const lineOf = ({ reference, session, amountToman, at }: SeededPayment, more: Partial<SettlementEntry> = {}) => ({
  ...{ reference, session, amountRial: amountToman * 10n, feeRial: amountToman / 10n, payout: 'P1' },
  day: at.toISOString().slice(0, 10),
  ...more,
});

const days = (count: number) => new Date(NOON.getTime() + count * 86_400_000);

describe('the round through the test banks', () => {
  test.each(['zarinpal', 'idpay', 'nextpay'] as const)('%s writes a file that settles everything', async (gateway) => {
    await withWorld(async (world, clock) => {
      const user = await world.user();
      for (const amount of [50_000, 123_457, 70_009]) await payAndVerify(user, gateway, amount);
      await payAtBank(user, gateway, 33_000);
      const file = await fetch(`${world.origin}/dev/bank/${gateway}/settlement.csv`);
      expect(file.headers.get('content-type')).toContain('text/csv');
      const bytes = Buffer.from(await file.arrayBuffer());
      clock.advance(86_400_000);
      const done = await importSettlementFile(world.deps, { actor, gateway, name: 'today.csv', bytes });
      expect(done).toMatchObject({
        lines: 3,
        newLines: 3,
        settled: 3,
        opened: 0,
        from: '2026-11-10',
        to: '2026-11-10',
      });
      const books = await houseOf(world);
      expect(books[`gateway:${gateway}:clearing`]).toBe(0n);
      // One per cent in rial: 5,000 + 12,345 + 7,000 = 24,345 rial.
      expect([-(books.fee ?? 0n), -(books.bank ?? 0n)]).toEqual([2_435n, 243_466n - 2_435n]);
    });
  });

  test('what the bank takes back is a line of its own, and clearing is zero again', async () => {
    await withWorld(async (world) => {
      const user = await world.user();
      const id = await payAndVerify(user, 'zarinpal', 80_000);
      await payAndVerify(user, 'zarinpal', 20_000);
      await user.api.refundPayment({ params: { id } });
      const { rows } = await sql<{ id: string }>`SELECT id FROM refund`.execute(world.deps.db);
      await sendRefund(world.deps, rows[0]?.id as string);
      const content = await (await fetch(`${world.origin}/dev/bank/zarinpal/settlement.csv`)).text();
      expect(content.trim().split('\r\n')).toHaveLength(4);
      expect(await importText(world, 'zarinpal', content)).toMatchObject({ settled: 3, opened: 0 });
      expect((await houseOf(world))['gateway:zarinpal:clearing']).toBe(0n);
    });
  });
});

describe('a file of 10,000 lines (issue 19, must show 5)', () => {
  const COUNT = 10_000;
  let world: TestWorld;
  let payments: SeededPayment[];
  let content: string;
  const expected: string[] = [];

  beforeAll(async () => {
    world = await openTestWorld({ clock: manualClock(days(20)) });
    const user = await world.user();
    const wanted = Array.from({ length: COUNT }, (_, n) => ({
      amountToman: BigInt(10_000 + ((n * 7_919) % 900_000)),
      at: new Date(NOON.getTime() + (n % 10) * 86_400_000),
    }));
    payments = await seedPayments(world, user.id, 'zarinpal', wanted);
    // So that the planner knows how many there are before the database notices by itself.
    await sql`ANALYZE`.execute(world.deps.db);
    const entries = payments.flatMap((payment, n) => {
      const line = lineOf(payment, { payout: `P${n % 10}` });
      const fault = n % 100;
      if (fault === 11) {
        expected.push(`missing ${payment.id}`);
        return [];
      }
      if (fault === 22) {
        expected.push(`doubled ${payment.reference}`);
        return [line, line];
      }
      if (fault === 33) {
        expected.push(`other-amount ${payment.reference}`);
        return [{ ...line, amountRial: line.amountRial + 10n }];
      }
      if (fault === 44) {
        expected.push(`unknown-payment 9${payment.reference}`);
        return [line, { ...line, reference: `9${payment.reference}`, session: '' }];
      }
      if (fault === 55) {
        expected.push(`fee-above-amount ${payment.reference}`);
        return [{ ...line, feeRial: line.amountRial + 10n }];
      }
      return [line];
    });
    content = writeSettlementFile('zarinpal', entries);
  });
  afterAll(async () => {
    await world.proveLedger();
    await world.close();
  });

  test('imported twice: the same books, and every difference listed once', async () => {
    const counted = countStatements(world);
    const first = await importText({ ...world, ...counted }, 'zarinpal', content, { to: '2026-11-25' });
    expect(counted.count()).toBeLessThan(60);
    expect(first).toMatchObject({
      again: false,
      lines: 10_100,
      newLines: 10_100,
      settled: 9_700,
      opened: 500,
      solved: 0,
    });
    const books = await houseOf(world);
    const listed = await differences(world);
    expect(listed.map(({ short }) => short).sort()).toEqual([...expected].sort());
    const second = await importText(world, 'zarinpal', content, { to: '2026-11-25' });
    expect(second).toMatchObject({ again: true, newLines: 0, settled: 0, opened: 0 });
    expect(await houseOf(world)).toEqual(books);
    expect(await differences(world)).toEqual(listed);
  });

  test('the same lines in another file change nothing', async () => {
    const books = await houseOf(world);
    const listed = await differences(world);
    const [head = '', ...lines] = content.split('\r\n');
    const other = [head, ...lines.slice(2_000, 7_000)].join('\n');
    expect(await importText(world, 'zarinpal', other)).toMatchObject({
      again: false,
      newLines: 0,
      settled: 0,
      opened: 0,
    });
    expect(await houseOf(world)).toEqual(books);
    expect(await differences(world)).toEqual(listed);
  });

  test('a later file with what was missing solves it, and says so', async () => {
    const late = payments.filter((_, n) => n % 100 === 11).map((payment) => lineOf(payment, { payout: 'late' }));
    const done = await importText(world, 'zarinpal', writeSettlementFile('zarinpal', late));
    expect(done).toMatchObject({ newLines: 100, settled: 100, opened: 0, solved: 100 });
    const solved = (await differences(world, true)).filter(({ state }) => state === 'solved');
    expect(solved).toHaveLength(100);
    expect(new Set(solved.map(({ kind, solved_by }) => `${kind} ${solved_by}`))).toEqual(
      new Set([`missing file ${done.file}`]),
    );
  });
});

/** The database as this world knows it, and how many statements have gone through it. */
function countStatements({ deps }: TestWorld) {
  let count = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      count += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { deps: { ...deps, db: deps.db.withPlugin(plugin) }, count: () => count };
}
