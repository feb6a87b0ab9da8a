import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { setSettingByKey } from '../../src/app/all-settings.ts';
import { changeSetting, resetSetting } from '../../src/app/change-setting.ts';
import { releasePayments } from '../../src/app/release-payments.ts';
import { reopenAccount } from '../../src/modules/accounts/reopen-account.ts';
import { acknowledgeAlert, silenceAlert } from '../../src/modules/alerts/act-on-alert.ts';
import { keepAlerts } from '../../src/modules/alerts/keep-alerts.ts';
import { listAlerts } from '../../src/modules/alerts/list-alerts.ts';
import { closeMonth, listMonths } from '../../src/modules/books/close-month.ts';
import { exportPayments } from '../../src/modules/console/export-payments.ts';
import { exportReport } from '../../src/modules/console/export-report.ts';
import { lookAt, showContact } from '../../src/modules/console/look.ts';
import { clearOperatorRate } from '../../src/modules/currency/clear-operator-rate.ts';
import { setOperatorRate } from '../../src/modules/currency/set-operator-rate.ts';
import { removeFactors } from '../../src/modules/factors/remove-factors.ts';
import { activateNode } from '../../src/modules/fleet/activate-node.ts';
import { addRelay, removeRelay } from '../../src/modules/fleet/add-relay.ts';
import { clearAnomalies } from '../../src/modules/fleet/clear-anomalies.ts';
import { drainNode } from '../../src/modules/fleet/drain-node.ts';
import { blockEntry, unblockEntry } from '../../src/modules/fleet/entries.ts';
import { issueEnrolmentToken } from '../../src/modules/fleet/issue-enrolment-token.ts';
import { registerNode } from '../../src/modules/fleet/register-node.ts';
import { retireNode } from '../../src/modules/fleet/retire-node.ts';
import { revokeNode } from '../../src/modules/fleet/revoke-node.ts';
import { setNodeTerms } from '../../src/modules/fleet/set-node-terms.ts';
import { upgradeNodes } from '../../src/modules/fleet/upgrade-nodes.ts';
import { invoiceUsage } from '../../src/modules/invoices/invoice-usage.ts';
import { askBank } from '../../src/modules/payments/ask-bank.ts';
import { confirmPayment } from '../../src/modules/payments/confirm-payment.ts';
import { holdPayments } from '../../src/modules/payments/hold.ts';
import { orderGateways } from '../../src/modules/payments/order-gateways.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { checkForReversal } from '../../src/modules/payments/reverse-payment.ts';
import { reviewPayment } from '../../src/modules/payments/review-payment.ts';
import { sendRefund } from '../../src/modules/payments/send-refund.ts';
import { settleRefundByHand } from '../../src/modules/payments/settle-refund.ts';
import { switchGateway } from '../../src/modules/payments/switch-gateway.ts';
import { deleteAccount } from '../../src/modules/profile/close-account.ts';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { importSettlementFile } from '../../src/modules/settlements/import-file.ts';
import { listSettlementDifferences } from '../../src/modules/settlements/list-settlements.ts';
import { resolveDifference } from '../../src/modules/settlements/resolve-difference.ts';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { resetFactors } from '../../src/modules/staff/reset-factors.ts';
import { createToken, revokeToken } from '../../src/modules/staff/tokens.ts';
import { earnDays } from '../../src/modules/subscriptions/earn-days.ts';
import { findPlannedVersion } from '../../src/modules/subscriptions/plans.ts';
import { cancelVersion, setPlan } from '../../src/modules/subscriptions/set-plan.ts';
import { adjustBalance, writeOffDebt, writeOffRemainders } from '../../src/modules/wallet/correct-books.ts';
import { declineProposal, withdrawProposal } from '../../src/modules/wallet/decide-proposal.ts';
import { requestAdjustment } from '../../src/modules/wallet/propose-correction.ts';
import { requestCredit } from '../../src/modules/wallet/propose-credit.ts';
import { addDays, type manualClock } from '../../src/platform/clock.ts';
import { adjust, charge, makeUser, payer } from '../money/bench.ts';
import { actor, type TestWorld } from '../world.ts';
import { approvalActs, approvalActsOfMembers } from './approval-acts.ts';
import { bulkActs } from './bulk-acts.ts';
import { cardActs } from './card-acts.ts';
import { creditActsOfMembers } from './credit-acts.ts';
import { deliveryActs } from './delivery-acts.ts';
import { priceActs } from './price-acts.ts';
import { traceActs } from './trace-acts.ts';
import { twoMembers } from './two-members.ts';
import { wayActs } from './way-acts.ts';

interface Scene {
  readonly world: TestWorld;
  readonly clock: ReturnType<typeof manualClock>;
}

/** What an operator does, once; it is prepared before, so that all that changes is what it changes. */
export type Act = (scene: Scene) => Promise<() => Promise<unknown>>;

const given = { actor, operator: 'Maryam', reason: 'they asked for it' } as const;
const DAY_MS = 86_400_000;
let nodes = 0;

/** Every action that `audit.record` is called with. `audit.test.ts` compares the names with the code. */
export const acts: Readonly<Record<string, Act>> = {
  'settings.set': async ({ world: { deps } }) => {
    return () => changeSetting(deps, { actor, key: 'price.usdCentsPerGb', text: '7' });
  },
  'settings.reset': async ({ world: { deps } }) => {
    await setSettingByKey(deps.db, 'configs.perUser', '7', deps.clock.now());
    return () => resetSetting(deps, { actor, key: 'configs.perUser' });
  },
  ...priceActs,
  'rate.set': async ({ world: { deps } }) => {
    return () => setOperatorRate(deps, { actor, tomanPerUsd: 81_000 });
  },
  'rate.clear': async ({ world: { deps } }) => {
    return () => clearOperatorRate(deps, { actor });
  },
  'plans.set': async ({ world: { deps } }) => {
    return () => setPlan(deps, { actor, id: 'basic', change: { priceToman: 98_000n } });
  },
  'plans.cancel': async ({ world: { deps }, clock }) => {
    const change = { priceToman: 97_000n };
    await setPlan(deps, { actor, id: 'premium', change, from: addDays(clock.now(), 1) });
    const planned = await findPlannedVersion(deps.db, clock.now());
    return () => cancelVersion(deps, { actor, id: planned?.id ?? '' });
  },
  'gateways.order': async ({ world: { deps } }) => {
    return () => orderGateways(deps, { actor, order: ['nextpay', 'zarinpal'] });
  },
  'gateways.switch': async ({ world: { deps } }) => {
    return () => switchGateway(deps, { actor, name: 'nextpay', value: 'off' });
  },
  'payments.hold': async ({ world: { deps }, clock }) => {
    return () => holdPayments(deps, { ...given, from: clock.now() });
  },
  'payments.release': async ({ world: { deps }, clock }) => {
    await holdPayments(deps, { ...given, from: clock.now() });
    // The release compares books and lists first, which notes that there are none.
    await listSettlementDifferences(deps, { gateway: undefined, all: false });
    return () => releasePayments(deps, { ...given, gateways: [], without: [] });
  },
  'accounts.suspend': async ({ world }) => {
    const { email } = await makeUser(world);
    return () => suspendAccount(world.deps, { actor, email });
  },
  'accounts.reopen': async ({ world }) => {
    const { email } = await makeUser(world);
    await suspendAccount(world.deps, { actor, email });
    return () => reopenAccount(world.deps, { actor, email });
  },
  'accounts.remove-factors': async ({ world, clock }) => {
    const { id, email } = await makeUser(world);
    await sql`
      INSERT INTO totp_secret (user_id, secret_sealed, created_at, confirmed_at) VALUES (${id}, 'sealed', ${clock.now()}, ${clock.now()})
    `.execute(world.deps.db);
    return () => removeFactors(world.deps, { actor, email });
  },
  'accounts.look': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    return () => lookAt(world.deps, { actor, userId });
  },
  'accounts.show-contact': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    return () => showContact(world.deps, { actor, userId, reason: 'they asked for it' });
  },
  ...deliveryActs,
  'accounts.adjust': async ({ world }) => {
    const { email } = await makeUser(world);
    return () => adjustBalance(world.deps, { ...given, email, amountToman: 7_000n });
  },
  'accounts.propose-correction': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    const { member } = await twoMembers(world);
    return () => requestAdjustment(world.deps, { actor: member, userId, amountToman: 9_000_000n, reason: 'a mistake' });
  },
  'accounts.decline-correction': async ({ world }) => {
    const { other, id } = await proposed(world);
    return () => declineProposal(world.deps, { actor: other, id, reason: 'too much' });
  },
  'accounts.withdraw-correction': async ({ world }) => {
    const { member, id } = await proposed(world);
    return () => withdrawProposal(world.deps, { actor: member, id, reason: 'a mistake' });
  },
  'accounts.write-off-remainders': async ({ world, clock }) => {
    const gone = await makeUser(world);
    await adjust(world, gone.id, 12_345);
    await deleteAccount(world.deps, gone.id);
    clock.advance(181 * DAY_MS);
    return () => writeOffRemainders(world.deps, given);
  },
  'accounts.write-off-debt': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    const paymentId = await paid(world, userId, 'zarinpal');
    await confirmPayment(world.deps, paymentId);
    await adjust(world, userId, -30_000);
    await sql`UPDATE test_bank_session SET state = 'REVERSED' WHERE order_id = ${paymentId}`.execute(world.deps.db);
    await checkForReversal(world.deps, paymentId);
    return () => writeOffDebt(world.deps, { ...given, userId });
  },

  'staff.add': async ({ world }) => {
    const { email } = await makeUser(world);
    return () => addMember(world.deps, { actor, email, role: 'support' });
  },
  'tokens.create': async ({ world }) => {
    const { member } = await twoMembers(world);
    const order = { userId: member.userId, name: 'a script', scopes: ['payments.read'], days: 3 } as const;
    return () => createToken(world.deps, { actor, ...order });
  },
  'tokens.revoke': async ({ world }) => {
    const { member } = await twoMembers(world);
    const order = { userId: member.userId, name: 'a script', scopes: ['payments.read'], days: 3 } as const;
    const { id } = await createToken(world.deps, { actor, ...order });
    return () => revokeToken(world.deps, { actor, id, reason: 'it leaked' });
  },
  'alerts.acknowledge': async ({ world }) => {
    const id = await openAlert(world);
    return () => acknowledgeAlert(world.deps, { actor, id, remindMinutes: 15 });
  },
  'alerts.silence': async ({ world }) => {
    const id = await openAlert(world);
    return () => silenceAlert(world.deps, { actor, id, minutes: 60 });
  },
  'staff.disable': async ({ world }) => {
    const { userId } = await addMember(world.deps, { actor, email: (await makeUser(world)).email, role: 'support' });
    return () => disableMember(world.deps, { actor, userId, reason: 'left' });
  },
  'staff.reset-factors': async ({ world, clock }) => {
    const { userId } = await addMember(world.deps, { actor, email: (await makeUser(world)).email, role: 'support' });
    clock.advance(1_000);
    return () => resetFactors(world.deps, { actor, userId });
  },

  'payments.review': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    const paymentId = await paid(world, userId, 'idpay');
    await sql`UPDATE payment SET state = 'needs_review', next_check_at = NULL WHERE id = ${paymentId}`.execute(
      world.deps.db,
    );
    const verdict = { paymentId, outcome: 'credited', actor, operator: 'Maryam', note: 'the bank has it' } as const;
    return () => reviewPayment(world.deps, { ...verdict, refId: '771' });
  },
  'payments.propose-credit': async ({ world, clock }) => {
    const paymentId = await paid(world, (await makeUser(world)).id, 'idpay');
    await sql`UPDATE payment SET state = 'needs_review', next_check_at = NULL WHERE id = ${paymentId}`.execute(
      world.deps.db,
    );
    await setSettingByKey(world.deps.db, 'approvals.creditToman', '0', clock.now());
    const { member } = await twoMembers(world);
    const order = { actor: member, paymentId, reference: '772', isSameReference: false, reason: 'the bank has it' };
    return () => requestCredit(world.deps, order);
  },
  'payments.ask': async ({ world }) => {
    const paymentId = await paid(world, (await makeUser(world)).id, 'zarinpal');
    return () => askBank(world.deps, { actor, paymentId });
  },
  'payments.export': async ({ world: { deps } }) => {
    return () => exportPayments(deps, actor, { group: 'failed' }, 'en');
  },
  'reports.export': async ({ world: { deps } }) => {
    return () => exportReport(deps, actor, 'takings', { from: '2026-11-01', to: '2026-11-30' });
  },
  'refunds.request': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    const paymentId = await paid(world, userId, 'idpay');
    await confirmPayment(world.deps, paymentId);
    const onBehalf = { actor, audit: world.deps.audit, operator: 'Maryam' };
    return () => requestRefund(world.deps, { userId, paymentId, reason: 'they asked for it', onBehalf });
  },
  'refunds.settle': async ({ world }) => {
    const { id: userId } = await makeUser(world);
    const paymentId = await paid(world, userId, 'idpay');
    await confirmPayment(world.deps, paymentId);
    await requestRefund(world.deps, { userId, paymentId });
    const { rows } = await sql<{ id: string }>`SELECT id FROM refund WHERE payment_id = ${paymentId}`.execute(
      world.deps.db,
    );
    const refundId = rows[0]?.id ?? '';
    await sendRefund(world.deps, refundId);
    return () =>
      settleRefundByHand(world.deps, { refundId, actor, operator: 'Maryam', outcome: 'sent', tracking: 'P-1' });
  },
  'settlements.import': async ({ world }) => {
    return () => importLines(world, '1');
  },
  'settlements.resolve': async ({ world }) => {
    await importLines(world, '2');
    const [difference] = await listSettlementDifferences(world.deps, { gateway: 'zarinpal', all: false });
    const id = difference?.id ?? '';
    return () => resolveDifference(world.deps, { ...given, id, book: undefined });
  },

  ...cardActs,
  ...approvalActs,
  ...wayActs,

  'nodes.add': async ({ world: { deps } }) => {
    nodes += 1;
    return () => registerNode(deps, { actor, name: `added-${nodes}`, country: 'DE', city: 'Berlin' });
  },
  'nodes.token': async ({ world }) => {
    const nodeId = await addNode(world);
    return () => issueEnrolmentToken(world.deps, { actor, nodeId });
  },
  'nodes.set': async ({ world }) => {
    const nodeId = await addNode(world);
    return () => setNodeTerms(world.deps, { actor, nodeId, monthlyCapGb: 900 });
  },
  'nodes.upgrade': async ({ world }) => {
    const nodeId = await addNode(world);
    return () => upgradeNodes(world.deps, { actor, nodes: { nodeId }, sha256: 'a'.repeat(64) });
  },
  'nodes.cleared': async ({ world }) => {
    const nodeId = await addNode(world);
    return () => clearAnomalies(world.deps, { actor, nodeId });
  },
  'nodes.drain': async ({ world }) => {
    const nodeId = await addNode(world);
    return () => drainNode(world.deps, { actor, nodeId });
  },
  'nodes.activate': async ({ world }) => {
    const nodeId = await addNode(world);
    await drainNode(world.deps, { actor, nodeId });
    return () => activateNode(world.deps, { actor, nodeId });
  },
  'nodes.retire': async ({ world }) => {
    const nodeId = await addNode(world);
    return () => retireNode(world.deps, { actor, nodeId, movesTo: null });
  },
  'nodes.revoke': async ({ world }) => {
    const nodeId = await addNode(world);
    return () => revokeNode(world.deps, { actor, nodeId, movesTo: null });
  },
  ...traceActs,
  ...bulkActs,
  'relays.add': async ({ world }) => {
    const order = { actor, nodeId: await addNode(world), ...newRelay() };
    return () => addRelay(world.deps, order);
  },
  'relays.remove': async ({ world }) => {
    const relay = await addRelay(world.deps, { actor, nodeId: await addNode(world), ...newRelay() });
    return () => removeRelay(world.deps, { actor, relay });
  },

  'entries.block': async ({ world }) => {
    const entry = { nodeId: await addNode(world), relayId: null };
    return () => blockEntry(world.deps, { actor, entry });
  },
  'entries.unblock': async ({ world }) => {
    const entry = { nodeId: await addNode(world), relayId: null };
    await blockEntry(world.deps, { actor, entry });
    return () => unblockEntry(world.deps, { actor, entry });
  },

  'books.close': async ({ world, clock }) => {
    await adjust(world, (await makeUser(world)).id, 1_000);
    clock.advance(70 * DAY_MS);
    // What closing does before, which the schedules would have done.
    while ((await earnDays(world.deps)) > 0);
    await invoiceUsage(world.deps);
    const month = (await listMonths(world.deps))[0]?.month ?? '';
    return () => closeMonth(world.deps, { actor, operator: 'Maryam', month });
  },
};

/** What only members do, because a second one decides. */
export const actsOfMembers = new Set([
  'accounts.propose-correction',
  'accounts.decline-correction',
  'accounts.withdraw-correction',
  'payments.propose-credit',
  ...creditActsOfMembers,
  ...approvalActsOfMembers,
  'prices.change',
  'prices.cancel',
]);

async function openAlert(world: TestWorld): Promise<string> {
  const cause = { rule: 'node_silent', cause: randomUUID(), figure: null, forSeconds: 0 } as const;
  await keepAlerts(world.deps, [cause], () => false);
  return (await listAlerts(world.deps.db)).open.find((alert) => alert.cause === cause.cause)?.id as string;
}

async function proposed(world: TestWorld) {
  const { id: userId } = await makeUser(world);
  const { member, other } = await twoMembers(world);
  const order = { actor: member, userId, amountToman: 9_000_000n, reason: 'a mistake' };
  const requested = await requestAdjustment(world.deps, order);
  return { member, other, id: requested.outcome === 'proposed' ? requested.id : '' };
}

async function addNode({ deps }: TestWorld): Promise<string> {
  nodes += 1;
  return (await registerNode(deps, { actor, name: `node-${nodes}`, country: 'DE', city: 'Berlin' })).nodeId;
}

function newRelay() {
  nodes += 1;
  return { name: `relay-${nodes}`, address4: `203.0.113.${nodes}`, exit4: '198.51.100.2' };
}

async function paid(world: TestWorld, userId: string, gateway: 'zarinpal' | 'idpay'): Promise<string> {
  const id = await charge(world, userId, gateway, 40_000);
  await payer(world, id, 'PAID');
  return id;
}

/** A settlement file of one line that fits no payment. */
async function importLines({ deps }: TestWorld, reference: string) {
  const day = new Date(deps.clock.now().getTime() - DAY_MS).toISOString().slice(0, 10);
  const text = `ref_id,amount (rial),fee (rial),payout,date\n${reference},500000,5000,P${reference},${day}`;
  const order = { actor, gateway: 'zarinpal', name: `${reference}.csv`, bytes: Buffer.from(text) } as const;
  return await importSettlementFile(deps, { ...order, from: day, to: day, isForced: true });
}
