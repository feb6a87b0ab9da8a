import { randomUUID } from 'node:crypto';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkChain, listEntries } from '../../src/modules/audit/audit.ts';
import { addSeconds, manualClock } from '../../src/platform/clock.ts';
import { openTestWorld, type TestWorld, unlimited } from '../world.ts';
import { sendCall, type WireRequest } from './every-request.ts';
import { expectBothOrNeither, expectRecorded, type Recorded, readyCall, standing } from './killed-calls.ts';
import { type AdminCall, type StaffRequests, staffRequests } from './staff-requests.ts';
import { openStaffScene } from './staff-scene.ts';

/**
 * Every call of the console, by what it leaves in the audit. A new call does not compile until it stands here.
 *
 * `change`: exactly one entry, of this action, with the change. `look`: one entry and nothing else. `read`: nothing is changed, and no
 * entry. `own`: about the member's own session, which is no act on anything of the operator's.
 */
type Leaves = { readonly change: string } | { readonly look: string } | 'read' | 'own';

const leaves: Readonly<Record<AdminCall, Leaves>> = {
  sendStaffCode: 'own',
  enterStaffCode: 'own',
  getStaffSignIn: 'own',
  startStaffPasskey: 'own',
  completeStaffSignIn: 'own',
  startFirstPasskey: 'own',
  addFirstPasskey: 'own',
  startFirstApp: 'own',
  confirmFirstApp: 'own',
  getStaffSelf: 'own',
  listStaffSessions: 'own',
  endOtherStaffSessions: 'own',
  startStaffProof: 'own',
  proveStaff: 'own',
  signOutStaff: 'own',
  listStaff: 'read',
  addStaffMember: { change: 'staff.add' },
  disableStaffMember: { change: 'staff.disable' },
  listAudit: 'read',
  searchPeople: 'read',
  countPeople: 'read',
  suspendUser: { change: 'accounts.suspend' },
  reopenUser: { change: 'accounts.reopen' },
  suspendPeople: { change: 'bulks.order' },
  endSessionsOfPeople: { change: 'bulks.order' },
  creditPeople: { change: 'credits.propose' },
  listBulks: 'read',
  getBulk: 'read',
  listBulkPeople: 'read',
  exportBulk: { look: 'bulks.export' },
  pauseBulk: { change: 'bulks.pause' },
  continueBulk: { change: 'bulks.continue' },
  stopBulk: { change: 'bulks.stop' },
  undoBulk: { change: 'bulks.undo' },
  getUserFacts: { look: 'accounts.look' },
  readTimeline: { look: 'accounts.look' },
  listUserDeliveries: { look: 'accounts.look' },
  listUnsentDeliveries: 'read',
  resendDelivery: { change: 'deliveries.resend' },
  showContact: { look: 'accounts.show-contact' },
  adjustWallet: { change: 'accounts.adjust' },
  forgiveDebt: { change: 'accounts.propose-correction' },
  refundOnBehalf: { change: 'refunds.request' },
  listProposals: 'read',
  approveProposal: { change: 'accounts.adjust' },
  declineProposal: { change: 'accounts.decline-correction' },
  withdrawProposal: { change: 'accounts.withdraw-correction' },
  listAllPayments: 'read',
  exportPayments: { look: 'payments.export' },
  getPaymentFacts: { look: 'accounts.look' },
  listPrices: 'read',
  changePrice: { change: 'approvals.propose' },
  cancelPrice: { change: 'prices.cancel' },
  getReconciliation: 'read',
  importSettlement: { change: 'settlements.import' },
  listDifferences: 'read',
  resolveDifference: { change: 'settlements.resolve' },
  listBookMonths: 'read',
  closeBookMonth: { change: 'books.close' },
  exportJournal: { look: 'reports.export' },
  listStaffPlans: 'read',
  setPlan: { change: 'approvals.propose' },
  cancelPlanVersion: { change: 'plans.cancel' },
  listCardBatches: 'read',
  getCardBatch: 'read',
  listCardStores: 'read',
  checkCardCode: { look: 'gift-cards.check' },
  issueCards: { change: 'gift-cards.issue' },
  listApprovals: 'read',
  approveAct: { change: 'gift-cards.issue' },
  declineAct: { change: 'approvals.decline' },
  withdrawAct: { change: 'approvals.withdraw' },
  voidCardBatch: { change: 'gift-cards.void' },
  voidCard: { change: 'gift-cards.void' },
  expireCardBatch: { change: 'gift-cards.expire' },
  listSettings: 'read',
  readSetting: 'read',
  changeSetting: { change: 'settings.set' },
  resetSetting: { change: 'settings.reset' },
  getDailyReport: 'read',
  exportDailyReport: { look: 'reports.export' },
  getNodeReport: 'read',
  exportNodeReport: { look: 'reports.export' },
  getPlanReport: 'read',
  getLiability: 'read',
  askBank: { look: 'payments.ask' },
  creditPayment: { change: 'payments.review' },
  failPayment: { change: 'payments.review' },
  listRefunds: 'read',
  markRefundSent: { change: 'refunds.settle' },
  confirmRefund: { change: 'refunds.settle' },
  failRefund: { change: 'refunds.settle' },
  listTokens: 'read',
  createToken: { change: 'tokens.create' },
  revokeToken: { change: 'tokens.revoke' },
  describeCalls: 'read',
  getToday: 'read',
  listAlerts: 'read',
  acknowledgeAlert: { change: 'alerts.acknowledge' },
  silenceAlert: { change: 'alerts.silence' },
  listLiveNodes: 'read',
  listNodeFigures: 'read',
  listNodeMargins: 'read',
  getNodeFacts: 'read',
  getReachMap: 'read',
  getReachWay: 'read',
  listEntries: 'read',
  blockEntry: { change: 'entries.block' },
  unblockEntry: { change: 'entries.unblock' },
  drainNode: { change: 'nodes.drain' },
  activateNode: { change: 'nodes.activate' },
  tracePort: { look: 'nodes.trace' },
  retireNode: { change: 'nodes.retire' },
  revokeNode: { change: 'nodes.revoke' },
};

/** Calls that take an `Idempotency-Key`: sent again after a lost answer, they act once. */
const keyed = new Set<AdminCall>([
  'adjustWallet',
  'forgiveDebt',
  'refundOnBehalf',
  'issueCards',
  'suspendUser',
  'reopenUser',
  'suspendPeople',
  'endSessionsOfPeople',
  'creditPeople',
  'undoBulk',
]);

const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
let world: TestWorld;
let requests: StaffRequests;
let member: { readonly userId: string; readonly cookie: string };

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, overrides: { minuteLimit: unlimited, traceWaitMs: 200 } });
  const scene = await openStaffScene(world, ['super_admin']);
  requests = staffRequests(scene);
  const boss = scene.colleagues.get('super_admin')?.member;
  member = { userId: boss?.userId ?? '', cookie: boss?.browser.cookies() ?? '' };
});
afterAll(() => world.close());

const calls = Object.entries(leaves) as [AdminCall, Leaves][];
const actionOf = (left: Leaves) => (typeof left === 'string' ? undefined : 'change' in left ? left.change : left.look);

const needsTime = (left: Leaves) => ['accounts.look', 'nodes.trace'].includes(actionOf(left) ?? '');

/** A call that can be sent again as it is, with what stood before it. */
async function prepare(name: AdminCall) {
  // Looks of one member at one user within an hour are one, and traces are two.
  if (needsTime(leaves[name])) clock.advance((staffLimits.lookMinutes + 1) * 60_000);
  const now = clock.now();
  await sql`
    UPDATE staff_session SET last_used_at = ${now}, proved_at = ${now}, expires_at = ${addSeconds(now, 600)} WHERE user_id = ${member.userId}
  `.execute(world.deps.db);
  const request = await requests[name]('super_admin', 'fresh proof');
  const { method, path } = adminEndpoints[name];
  const key = keyed.has(name) ? { 'idempotency-key': randomUUID() } : {};
  const headers = { 'x-raha-console': '1', cookie: member.cookie, ...key };
  const send = async () => {
    const sent = { ...request, headers } as WireRequest;
    const response = await sendCall(world.origin, method, API_BASE + path, sent, undefined);
    await response.text();
    return response.status;
  };
  return await readyCall(world, send);
}

function recordOf(left: Leaves): Recorded {
  const changes = typeof left === 'object' && 'change' in left;
  return { action: actionOf(left) ?? '', actor: member.userId, changes };
}

/** Looks and traces come last: they need the clock to go on, and users are then signed out. */
const recorded = calls
  .filter(([, left]) => typeof left === 'object')
  .sort(([, a], [, b]) => Number(needsTime(a)) - Number(needsTime(b)));

test.for(recorded)('%s: the effect with one entry, or neither, wherever it is killed', async ([name, left]) => {
  const again = await expectBothOrNeither(world, () => prepare(name), recordOf(left));
  if (!keyed.has(name)) return;
  expect(await again.send()).toBeLessThan(300);
  await expectRecorded(world, again, recordOf(left));
});

test.for(calls.filter(([, left]) => left === 'read'))('%s: changes nothing, and no entry', async ([name]) => {
  const { send, before } = await prepare(name);
  expect(await send()).toBe(200);
  expect(await standing(world)).toEqual(before);
});

test('a call that is no GET changes something; searching alone sends what it looks for in the body', () => {
  const reading = calls.filter(([name, left]) => left === 'read' && adminEndpoints[name].method !== 'GET');
  expect(reading.map(([name]) => name)).toEqual(['searchPeople']);
  const own = calls.filter(([name, left]) => left === 'own' && adminEndpoints[name].caller === 'staff');
  expect(own).toEqual([]);
});

test('after all of that the chain is whole, and an entry that somebody alters is named', async () => {
  const { db, vault } = world.deps;
  expect((await checkChain(db, vault)).broken).toEqual([]);
  const [entry] = await listEntries(db, { action: 'payments.review' }, 1);
  await sql`ALTER TABLE audit_entry DISABLE TRIGGER USER`.execute(db);
  await sql`UPDATE audit_entry SET reason = 'another' WHERE number = ${entry?.number}`.execute(db);
  await sql`ALTER TABLE audit_entry ENABLE TRIGGER USER`.execute(db);
  expect((await checkChain(db, vault)).broken).toEqual([entry?.number]);
});
