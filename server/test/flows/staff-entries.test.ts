import { randomUUID } from 'node:crypto';
import { staffLimits } from '@raha/contract/admin/limits.ts';
import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkChain, listEntries } from '../../src/modules/audit/audit.ts';
import { moneyRunsShort } from '../../src/modules/billing/jobs.ts';
import { fundsAdded } from '../../src/modules/ledger/jobs.ts';
import { refundRequested } from '../../src/modules/payments/jobs.ts';
import { addSeconds, manualClock } from '../../src/platform/clock.ts';
import { withBreak } from '../break-connection.ts';
import { fingerprint } from '../fingerprint.ts';
import { eventually, openTestWorld, type TestWorld, unlimited } from '../world.ts';
import { sendCall, type WireRequest } from './every-request.ts';
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
  await jobsDone();
  return { send, before: await standing(), entries: await countEntries() };
}

/** Until then jobs of what was prepared change what stands. */
async function jobsDone(): Promise<void> {
  const unhandled = sql.join([fundsAdded.name, refundRequested.name, moneyRunsShort.name]);
  await eventually(async () => {
    const { rows } = await sql`
      SELECT FROM pgboss.job WHERE state IN ('created', 'retry', 'active') AND start_after <= now() AND name NOT IN (${unhandled}) LIMIT 1
    `.execute(world.deps.db);
    return rows.length === 0;
  });
}

async function standing() {
  const { audit_entry: audit, ...rest } = await fingerprint(world.deps.db);
  return { audit, rest };
}

const countEntries = async () => (await listEntries(world.deps.db, {}, 1_000)).length;

/** Since `prepare`, the whole effect is there with its one entry. */
async function expectDone(left: Leaves, { before, entries }: Awaited<ReturnType<typeof prepare>>): Promise<void> {
  const now = await listEntries(world.deps.db, {}, 1_000);
  expect(now.length).toBe(entries + 1);
  expect(now[0]).toMatchObject({ action: actionOf(left), actor_kind: 'staff', actor: member.userId });
  const { rest } = await standing();
  if (typeof left === 'object' && 'change' in left) expect(rest).not.toEqual(before.rest);
  else expect(rest).toEqual(before.rest);
}

/** Looks and traces come last: they need the clock to go on, and users are then signed out. */
const recorded = calls
  .filter(([, left]) => typeof left === 'object')
  .sort(([, a], [, b]) => Number(needsTime(a)) - Number(needsTime(b)));

/** Breaks one statement after the other, until the call goes through. Returns how many of them were a COMMIT. */
async function breakEachStatement(name: AdminCall, left: Leaves): Promise<number> {
  const scene = await prepare(name);
  let commits = 0;
  for (let statement = 1; ; statement += 1) {
    let status = 0;
    const broken = await withBreak({ statement }, async () => {
      status = await scene.send();
    });
    // A look that was begun stays, even if nothing was seen.
    if (broken === undefined || (await countEntries()) !== scene.entries) break;
    // Nobody is shown, or has changed, what the audit does not know.
    expect([name, statement, status >= 500]).toEqual([name, statement, true]);
    if (broken !== 'commit') continue;
    // All that was begun until here was undone.
    commits += 1;
    expect(await standing()).toEqual(scene.before);
  }
  await expectDone(left, scene);
  return commits;
}

test.for(recorded)('%s: the effect with one entry, or neither, wherever it is killed', async ([name, left]) => {
  // Every five seconds settings are read anew: with a statement more in one round than in the next, the count passes the COMMIT.
  let commits = 0;
  for (let round = 1; commits === 0 && round <= 5; round += 1) commits = await breakEachStatement(name, left);
  expect(commits).toBeGreaterThan(0);

  const again = await prepare(name);
  for (let commit = 1; (await countEntries()) === again.entries; commit += 1)
    expect(await withBreak({ commit }, again.send)).toBe('commit');
  await expectDone(left, again);
  if (!keyed.has(name)) return;
  expect(await again.send()).toBeLessThan(300);
  await expectDone(left, again);
});

test.for(calls.filter(([, left]) => left === 'read'))('%s: changes nothing, and no entry', async ([name]) => {
  const { send, before } = await prepare(name);
  expect(await send()).toBe(200);
  expect(await standing()).toEqual(before);
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
