import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeSettlementFile } from '../../src/adapters/test-bank/settlement.ts';
import { releasePayments } from '../../src/app/release-payments.ts';
import { holdPayments } from '../../src/modules/payments/hold.ts';
import { reconcileRefunds, sendRefund } from '../../src/modules/payments/send-refund.ts';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { listSettlementDifferences } from '../../src/modules/settlements/list-settlements.ts';
import { resolveDifference } from '../../src/modules/settlements/resolve-difference.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { payAndVerify } from '../bank.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/**
 * T-B3: books of the day before, as after a restore. Nobody pays and no refund is sent until the lists of the banks cover the lost days,
 * what they say is decided, and the operator says so.
 */
const clock = manualClock(new Date('2026-11-10T12:00:00+03:30'));
const order = { actor, operator: 'Maryam', reason: 'the disk was lost' } as const;
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld({ clock });
});
afterAll(async () => {
  await world.close();
});

const release = (without: ('idpay' | 'nextpay')[]) =>
  releasePayments(world.deps, { ...order, gateways: ['zarinpal', 'idpay', 'nextpay'], without });
const refundState = async () =>
  (await sql<{ state: string }>`SELECT state FROM refund`.execute(world.deps.db)).rows[0]?.state;
const readiness = async () => (await fetch(`${world.origin}/readyz/database`)).json();

test('T-B3 payments are held until books and banks agree', { timeout: 60_000 }, async () => {
  const user = await world.user();
  const paid = await payAndVerify(user, 'zarinpal', 80_000);
  await user.api.refundPayment({ params: { id: paid } });
  expect(await readiness()).toEqual({ database: 'up', payments: 'open' });
  await holdPayments(world.deps, { ...order, from: new Date('2026-11-09T02:00:00+03:30') });

  expect(await readiness()).toEqual({ database: 'up', payments: 'held' });
  const offered = await user.api.listPaymentGateways({});
  expect(offered.data).toMatchObject({ gateways: [], held: true });
  const body = { amount: 50_000, payment_method: 'zarinpal' } as const;
  await expect(user.api.chargeWallet({ body })).rejects.toMatchObject({ code: 'payments_held', status: 503 });
  const { rows } = await sql<{ id: string }>`SELECT id FROM refund`.execute(world.deps.db);
  await sendRefund(world.deps, rows[0]?.id as string);
  await reconcileRefunds(world.deps);
  expect(await refundState()).toBe('requested');

  const days = { from: '2026-11-09', to: '2026-11-10' };
  await expect(release(['idpay'])).rejects.toThrow(/zarinpal: no list .*covers 2026-11-09[\s\S]*nextpay: no list/);
  const lost = {
    ...{ reference: '70000000001', session: 'S70000000001', amountRial: 500_000n, feeRial: 5_000n, payout: 'P1' },
    day: '2026-11-09',
  };
  const importList = (bytes: Buffer, covered: { from: string; to: string }) =>
    importSettlementFile(world.deps, { actor, gateway: 'zarinpal', name: 'list.csv', bytes, ...covered });
  await importList(Buffer.from(writeSettlementFile('zarinpal', [lost])), { from: '2026-11-09', to: '2026-11-09' });
  await expect(release(['idpay', 'nextpay'])).rejects.toThrow(
    /zarinpal: no list .*covers 2026-11-10[\s\S]*70000000001, 50000 toman: No credited payment has this reference/,
  );
  await importList(Buffer.from(writeSettlementFile('zarinpal', [lost, { ...lost, reference: '70000000002' }])), days);
  for (const { id } of await listSettlementDifferences(world.deps, { gateway: 'zarinpal', all: false })) {
    await expect(release(['idpay', 'nextpay'])).rejects.toThrow(/7000000000/);
    await resolveDifference(world.deps, { ...order, id, book: 'bank' });
  }
  await release(['idpay', 'nextpay']);

  expect(await readiness()).toEqual({ database: 'up', payments: 'open' });
  expect(await user.api.listPaymentGateways({})).toMatchObject({ data: { held: false } });
  await payAndVerify(user, 'zarinpal', 50_000);
  clock.advance(600_000);
  await reconcileRefunds(world.deps);
  expect(await refundState()).not.toBe('requested');
  await expect(release([])).rejects.toThrow('Payments are not held.');
  await world.proveLedger();
});
