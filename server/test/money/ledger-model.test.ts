import fc from 'fast-check';
import { expect, test } from 'vitest';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { reconcilePayments } from '../../src/modules/payments/reconcile-payments.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { compareWithHledger, hasHledger } from '../hledger.ts';
import { comparePlanSums } from '../plan-sums.ts';
import { openTestWorld, type TestWorld } from '../world.ts';
import { compareWithBanks, makeUser } from './bench.ts';
import { booksCommands } from './books-commands.ts';
import { cardCommands, compareCards } from './card-commands.ts';
import { moneyCommands, type Real } from './commands.ts';
import { creditCommands } from './credit-commands.ts';
import { compareWithAudit, deskCommands } from './desk-commands.ts';
import { credit, type Model, type ModelUser, newModelUser } from './model.ts';
import { newModelBooks } from './model-books.ts';
import { planCommands } from './plan-commands.ts';
import { planPriceCommands } from './plan-prices.ts';
import { settlementCommands } from './settlement-commands.ts';
import { spendCommands } from './spend-commands.ts';
import { usageCommands } from './usage-commands.ts';

/**
 * T-M1: random orders of everything that moves money, compared with a model in integers, on the real PostgreSQL and with the
 * real adapters talking to test banks. After each command every wallet equals the model's; after each run all invariants
 * hold over what the run wrote, the sums of what plans were sold are those of a count, and our books agree with the banks'; after
 * each tenth run and at the end the invariants hold over everything. At the end hledger computes the same books, month by month. `npm run test:long` runs 20,000 seeds.
 */
const SEEDS = Number(process.env.MONEY_SEEDS ?? 100);
/** Worlds at once: each waits for the database most of its time. */
const LANES = 4;
const PER_WORLD = Math.min(150, Math.ceil(SEEDS / LANES));
/** A whole proof reads what all earlier runs wrote: after each run it would be a third of this test's time. */
const RUNS_PER_WHOLE_PROOF = 10;
/** So that two processes, or two machines, can share the long run. */
const FIRST_SEED = Number(process.env.MONEY_FIRST_SEED ?? 20_261_120);

async function runSeeds(seed: number, numRuns: number): Promise<number> {
  const clock = manualClock(new Date());
  const world = await openTestWorld({ clock, restores: false });
  const node = await enrolFakeNode(world);
  await setSettingByKey(world.deps.db, 'accounts.activationTransferable', 'false', clock.now());
  // The model knows no VAT: it is between our own accounts. N1 to N8 prove the documents after each run.
  await setSettingByKey(world.deps.db, 'invoices.vatPercent', '10', clock.now());
  const books = newModelBooks(clock.now().getTime());
  let commands = 0;
  let runs = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.commands(
          [
            ...moneyCommands,
            ...usageCommands,
            ...planCommands,
            ...planPriceCommands,
            ...spendCommands,
            ...booksCommands,
            ...settlementCommands,
            ...deskCommands,
            ...creditCommands,
            ...cardCommands,
          ],
          {
            maxCommands: 60,
            size: 'max',
          },
        ),
        async (list) => {
          const since = clock.now();
          const people = [await makeUser(world), await makeUser(world), await makeUser(world, undefined, false)];
          const model: Model = { people: people.map(newModelUser), payments: [], books };
          await activate(world, people[2], model.people[2]);
          const real: Real = { world, clock, people, node, configs: new Map() };
          await fc.asyncModelRun(() => ({ model, real }), list);
          commands += [...list].length;
          world.deps.bankFaults.clear();
          await settleAll(real);
          runs += 1;
          await world.proveLedger(runs % RUNS_PER_WHOLE_PROOF === 0 ? undefined : since);
          expect(await compareWithBanks(world)).toEqual([]);
          expect(await comparePlanSums(world.deps)).toEqual([]);
        },
      ),
      { numRuns, seed, endOnFailure: true },
    );
    await world.proveLedger();
    expect(await compareWithAudit(world)).toEqual([]);
    await compareCards(world);
    if (hasHledger) await compareWithHledger(world);
  } finally {
    await world.close();
  }
  return commands;
}

/** One of the three has money of the card that activated the account. */
async function activate(world: TestWorld, user: Real['people'][number] | undefined, model: ModelUser | undefined) {
  if (!user || !model) throw new Error('there are three');
  const { amountToman } = await redeemGiftCard(world.deps, { userId: user.id, code: await world.giftCard(700) });
  credit(model, amountToman, amountToman, amountToman);
}

/** Lets time pass until no payment is queried any more: then whatever a bank holds must be in a wallet. */
async function settleAll({ world, clock }: Real): Promise<void> {
  for (let days = 0; days < 4; days += 1) {
    clock.advance(86_400_000);
    while ((await reconcilePayments(world.deps)) > 0);
  }
}

test('T-M1 every wallet equals the model after every command, every invariant holds, the banks’ books agree', {
  timeout: 24 * 3_600_000,
}, async () => {
  let seed = FIRST_SEED;
  let commands = 0;
  for (let left = SEEDS; left > 0; left -= LANES * PER_WORLD) {
    const shares = Array.from({ length: LANES }, (_, lane) => Math.min(PER_WORLD, left - lane * PER_WORLD));
    const lanes = shares.filter((runs) => runs > 0);
    const counts = await Promise.all(lanes.map((runs, lane) => runSeeds(seed + lane, runs)));
    commands += counts.reduce((sum, count) => sum + count, 0);
    seed += lanes.length;
  }
  expect(commands).toBeGreaterThan(SEEDS);
});
