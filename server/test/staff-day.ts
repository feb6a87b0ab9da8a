import { keepAlerts } from '../src/modules/alerts/keep-alerts.ts';
import { orderBulk } from '../src/modules/bulk/order-bulk.ts';
import { orderCredit } from '../src/modules/bulk/order-credit.ts';
import { addRelay } from '../src/modules/fleet/add-relay.ts';
import { blockEntry, keepEntryName } from '../src/modules/fleet/entries.ts';
import { listNodes } from '../src/modules/fleet/nodes.ts';
import { requestBatch } from '../src/modules/gift-cards/request-batch.ts';
import { replaceSuspects } from '../src/modules/movement/tables.ts';
import { changePrice } from '../src/modules/pricing/change-price.ts';
import { addMember } from '../src/modules/staff/add-member.ts';
import { createToken } from '../src/modules/staff/tokens.ts';
import { setPlan } from '../src/modules/subscriptions/set-plan.ts';
import { requestAdjustment } from '../src/modules/wallet/propose-correction.ts';
import { addDays } from '../src/platform/clock.ts';
import { inTransaction } from '../src/platform/database.ts';
import { noteRun } from '../src/platform/schedule-runs.ts';
import { consoleBrowser, enterMailedCode, openColleague } from './staff.ts';
import { actor, type TestWorld } from './world.ts';

/**
 * What a day leaves of those who work here: one signed in, with a correction and gift cards that wait for a second member, planned prices of a
 * gigabyte and a plan, an alert, a bulk and a credit for many, and one between the mailed code and the factor.
 */
export async function workOneDay(world: TestWorld): Promise<void> {
  const { userId } = await openColleague(world, 'super_admin');
  const user = await world.user({ usdCents: 0 });
  const order = { userId: user.id, amountToman: 600_000n, reason: 'the bank was late' };
  const price = { usdCentsPerGb: 4, from: addDays(world.deps.clock.now(), 7), seen: null, reason: 'servers cost more' };
  await inTransaction(world.deps.db, (tx) =>
    changePrice(tx, world.deps, { actor: { kind: 'staff', userId }, ...price }),
  );
  const planned = { from: price.from, reason: 'servers cost more' };
  await setPlan(world.deps, {
    actor: { kind: 'staff', userId },
    ...{ id: 'basic', change: { priceToman: 123_000n }, ...planned },
  });
  await requestAdjustment(world.deps, { actor: { kind: 'staff', userId }, ...order });
  const cards = { count: 100, usd_cents: 500, expires: null, note: 'a shop' };
  await requestBatch(world.deps, { actor: { kind: 'staff', userId }, cards, reason: 'an order' });
  await keepAlerts(world.deps, [{ rule: 'worker_silent', cause: '', figure: null, forSeconds: 0 }], () => false);
  const bulk = { act: 'end_sessions', reason: 'an attack' } as const;
  await orderBulk(world.deps, { actor: { kind: 'staff', userId }, ...bulk, whom: { ids: [user.id] } });
  const credit = { toman: 5_000n, message: 'Sorry for yesterday.', reason: 'an outage' } as const;
  await orderCredit(world.deps, { actor: { kind: 'staff', userId }, ...credit, whom: { ids: [user.id] } });
  await noteRun(world.deps.db, 'send alerts', world.deps.clock.now());
  await createToken(world.deps, { actor, userId, name: 'a script', scopes: ['fleet.read'], days: 30 });
  const email = 'half@staff.example';
  await addMember(world.deps, { actor, email, role: 'support' });
  await enterMailedCode(world, consoleBrowser(world), email);
  await moveEntries(world.deps);
}

/** A relay, which networks block, and the name of its node's entries. */
async function moveEntries(deps: TestWorld['deps']): Promise<void> {
  const nodeId = (await listNodes(deps.db))[0]?.id ?? '';
  const relay = await addRelay(deps, { actor, name: 'relay', nodeId, address4: '203.0.113.9', exit4: '198.51.100.2' });
  await blockEntry(deps, { actor, entry: { nodeId, relayId: relay.id } });
  const row = {
    node_id: nodeId,
    name: 'e0123.go.example',
    addresses: ['198.51.100.2'],
    published_at: deps.clock.now(),
  };
  await keepEntryName(deps.db, row);
  const evidence = { network: 0, transport: 'wireguard', kind: 'silent', percent: 0, of: 90, elsewhere: 100 } as const;
  const suspect = { nodeId, relayId: null, evidence, kept: 'last' } as const;
  await inTransaction(deps.db, (tx) => replaceSuspects(tx, [suspect], deps.clock.now()));
}
