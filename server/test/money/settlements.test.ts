import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { listSettlementDifferences } from '../../src/modules/settlements/list-settlements.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { selectBalances } from '../balances.ts';
import { type SeededPayment, seedPayments, seedRefund } from '../seed-payments.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/**
 * Small settlement files with every kind of fault, in any mixture and order: exactly the expected differences are listed, each
 * once, the books moved by exactly what fits, and the file again, as it was or in another order, changes nothing.
 */
const RUNS = Math.min(2_000, Math.ceil(Number(process.env.MONEY_SEEDS ?? 300) / 3));
const DAY_MS = 86_400_000;

interface Case {
  readonly fault: keyof typeof faults;
  readonly amountToman: bigint;
  readonly feeToman: bigint;
  readonly part: bigint;
}

/** What the books should move: positive out of clearing. */
interface Effect {
  readonly lines: readonly string[];
  readonly refund?: bigint;
  readonly differences?: readonly string[];
  readonly clearing?: bigint;
  readonly fee?: bigint;
}

type Fault = (payment: SeededPayment, given: Case) => Effect;

const line = (reference: string, toman: bigint, feeToman: bigint | string = 0n, payout = 'A') =>
  `${reference},${toman * 10n},${typeof feeToman === 'string' ? feeToman : feeToman * 10n},${payout}`;

const faults = {
  fits: ({ reference }, { amountToman, feeToman }) => ({
    lines: [line(reference, amountToman, feeToman)],
    clearing: amountToman,
    fee: feeToman,
  }),
  missing: ({ id }) => ({ lines: [], differences: [`missing ${id}`] }),
  doubled: ({ reference }, { amountToman, feeToman }) => ({
    lines: [line(reference, amountToman, feeToman), line(reference, amountToman, feeToman)],
    differences: [`doubled ${reference}`],
    clearing: amountToman,
    fee: feeToman,
  }),
  otherAmount: ({ reference }, { amountToman, part }) => ({
    lines: [line(reference, amountToman + part)],
    differences: [`other-amount ${reference}`],
  }),
  unreadable: ({ id, reference }) => ({
    lines: [`${reference},a lot,0,A`],
    differences: ['unreadable', `missing ${id}`],
  }),
  feeAbove: ({ reference }, { amountToman, part }) => ({
    lines: [line(reference, amountToman, amountToman + part)],
    differences: [`fee-above-amount ${reference}`],
  }),
  inTwoPayouts: ({ reference }, { amountToman, feeToman }) => ({
    lines: [line(reference, amountToman, feeToman), line(reference, amountToman, feeToman, 'B')],
    differences: [`already-settled ${reference}`],
    clearing: amountToman,
    fee: feeToman,
  }),
  unknown: ({ reference }, { amountToman, feeToman }) => ({
    lines: [line(reference, amountToman, feeToman), line(`X${reference}`, amountToman)],
    differences: [`unknown-payment X${reference}`],
    clearing: amountToman,
    fee: feeToman,
  }),
  takenBack: ({ reference }, { amountToman, feeToman, part }) => ({
    lines: [line(reference, amountToman, feeToman), line(reference, -part)],
    refund: part,
    clearing: amountToman - part,
    fee: feeToman,
  }),
  netted: ({ reference }, { amountToman, part }) => ({
    lines: [line(reference, amountToman - part)],
    refund: part,
    clearing: amountToman - part,
  }),
  notTakenBack: ({ id, reference }, { amountToman, part }) => ({
    lines: [line(reference, amountToman)],
    refund: part,
    differences: [`not-taken-back ${id}`],
    clearing: amountToman,
  }),
  wentBackWhole: (_payment, { amountToman }) => ({ lines: [], refund: amountToman }),
  wentBackWholeAndShown: ({ reference }, { amountToman }) => ({
    lines: [line(reference, amountToman), line(reference, -amountToman)],
    refund: amountToman,
  }),
  unknownReturn: ({ reference }, { amountToman, part }) => ({
    lines: [line(reference, amountToman), line(reference, -part)],
    differences: [`unknown-return ${reference}`],
    clearing: amountToman,
  }),
  otherReturn: ({ reference }, { amountToman, part }) => ({
    lines: [line(reference, amountToman), line(reference, -part - 1n)],
    refund: part,
    differences: [`other-amount ${reference}`],
    clearing: amountToman,
  }),
} satisfies Record<string, Fault>;

const cases = fc.record({
  fault: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
  amountToman: fc.bigInt(10_000n, 5_000_000n),
  feeToman: fc.bigInt(0n, 5_000n),
  part: fc.bigInt(1_000n, 9_000n),
});

const HEAD = 'ref_id,amount,fee,payout';
const isoDay = (milliseconds: number) => new Date(milliseconds + 3.5 * 3_600_000).toISOString().slice(0, 10);

async function housesOf({ deps }: TestWorld) {
  const balances = new Map((await selectBalances(deps.db)).map(({ code, balance }) => [code, balance]));
  const of = (code: string) => balances.get(code) ?? 0n;
  return {
    clearing: of('gateway:nextpay:clearing'),
    bank: of('bank'),
    fee: of('fee'),
    odd: of('settlement:difference'),
  };
}

test('T-S1 exactly the expected differences, each once, and the same books from the same file', {
  timeout: 24 * 3_600_000,
}, async () => {
  const clock = manualClock(new Date('2026-11-10T12:00:00+03:30'));
  const world = await openTestWorld({ clock });
  const { deps } = world;
  try {
    const user = await world.user();
    await fc.assert(
      fc.asyncProperty(
        fc.array(cases, { minLength: 1, maxLength: 14 }),
        fc.infiniteStream(fc.nat()),
        async (list, order) => {
          // Each round has days of its own, so that the days of earlier ones are judged already.
          clock.advance(12 * DAY_MS);
          const now = clock.now().getTime();
          const wanted = list.map(({ amountToman }, n) => ({
            amountToman,
            at: new Date(now - (9 - (n % 3)) * DAY_MS),
          }));
          const payments = await seedPayments(world, user.id, 'nextpay', wanted);
          const effects = list.map((given, n) => faults[given.fault](payments[n] as SeededPayment, given) as Effect);
          for (const [n, { refund }] of effects.entries()) {
            const payment = payments[n] as SeededPayment;
            const at = new Date(payment.at.getTime() + 3_600_000);
            if (refund) await seedRefund(world, user.id, 'nextpay', payment, { amountToman: refund, at });
          }
          // A file of which no line can be read is refused.
          const stray = `S${now}`;
          const shuffled = () => {
            const keyed = effects.flatMap(({ lines }) => lines).map((text) => [order.next().value ?? 0, text] as const);
            return [HEAD, line(stray, 1n), ...keyed.sort(([a], [b]) => a - b).map(([, text]) => text)].join('\n');
          };
          const days = { from: isoDay(now - 9 * DAY_MS), to: isoDay(now) };
          const load = (content: string) =>
            importSettlementFile(deps, {
              ...{ actor, gateway: 'nextpay', name: 'small.csv', bytes: Buffer.from(content), unit: 'rial' },
              ...days,
            });
          const differences = async () =>
            (await listSettlementDifferences(deps, { gateway: 'nextpay', all: false }))
              .filter(({ opened_at }) => opened_at.getTime() === now)
              .map(({ kind, line, payment_id }) =>
                kind === 'unreadable' ? kind : `${kind} ${line?.reference ?? payment_id}`,
              )
              .sort();
          const before = await housesOf(world);
          const content = shuffled();
          await load(content);
          const expected = [
            ...effects.flatMap(({ differences = [] }) => differences),
            `unknown-payment ${stray}`,
          ].sort();
          expect(await differences()).toEqual(expected);
          const sum = (of: (effect: Effect) => bigint | undefined) =>
            effects.reduce((total, each) => total + (of(each) ?? 0n), 0n);
          const [clearing, fee] = [sum((each) => each.clearing), sum((each) => each.fee)];
          const after = await housesOf(world);
          expect(after).toEqual({
            clearing: before.clearing + clearing,
            bank: before.bank - (clearing - fee),
            fee: before.fee - fee,
            odd: before.odd,
          });
          expect(await load(content)).toMatchObject({ again: true });
          const reordered = await load(shuffled());
          if (!reordered.again) expect(reordered).toMatchObject({ newLines: 0, settled: 0, opened: 0, solved: 0 });
          expect(await housesOf(world)).toEqual(after);
          expect(await differences()).toEqual(expected);
        },
      ),
      { numRuns: RUNS, seed: 20_261_124, endOnFailure: true },
    );
    await world.proveLedger();
  } finally {
    await world.close();
  }
});
