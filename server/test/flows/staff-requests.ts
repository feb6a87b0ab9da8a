import type { BulkAct, BulkState } from '@raha/contract/admin/bulk.ts';
import { batchName } from '@raha/contract/admin/gift-cards.ts';
import { isPermitted, type Permission, type StaffRole } from '@raha/contract/admin/roles.ts';
import type { adminEndpoints } from '@raha/contract/admin/table.ts';
import { drainNode } from '../../src/modules/fleet/drain-node.ts';
import { blockEntry } from '../../src/modules/fleet/entries.ts';
import { payAndVerify } from '../bank.ts';
import { strayRegistration } from '../passkeys.ts';
import { actor } from '../world.ts';
import type { WireRequest } from './every-request.ts';
import {
  anotherValue,
  freshAlert,
  freshApproval,
  freshBatch,
  freshBulk,
  freshDifference,
  freshEmail,
  freshMember,
  freshMonth,
  freshNode,
  freshPlanVersion,
  freshPrice,
  freshProposal,
  freshSettlementFile,
  freshToken,
  freshUser,
  newestPrice,
  nextPlanPrice,
  onlineNode,
  type StaffScene,
  sentLink,
  suspendedUser,
  waitingPayment,
  waitingRefund,
} from './staff-scene.ts';

export const levels = ['no factor', 'factor', 'fresh proof'] as const;
export type Level = (typeof levels)[number];
export type AdminCall = keyof typeof adminEndpoints;

type Make = (role: StaffRole | undefined, level: Level) => Promise<WireRequest>;
/** What a call acts on is made anew each time. Codes and signatures are wrong ones: the right ones are tried elsewhere. */
export type StaffRequests = Readonly<Record<AdminCall, Make>>;

/** One valid request for each call of the console. */
export function staffRequests(scene: StaffScene): StaffRequests {
  return { ...sessionRequests(scene), ...peopleRequests(scene), ...moneyRequests(scene), ...operationRequests(scene) };
}

/** Only a call that is let through needs something to act on: all others are refused before. */
async function ifLetIn(role: StaffRole | undefined, level: Level, may: Permission, make: () => Promise<string>) {
  return role && level === 'fresh proof' && isPermitted(role, may) ? await make() : NOTHING;
}
const NOTHING = '00000000-0000-7000-8000-000000000000';

function sessionRequests({ world, colleagues }: StaffScene) {
  return {
    sendStaffCode: async () => ({ body: { email: freshEmail() } }),
    enterStaffCode: async () => ({ body: { email: freshEmail(), code: '123456' } }),
    getStaffSignIn: async () => ({}),
    startStaffPasskey: async () => ({}),
    completeStaffSignIn: async (role, level) => {
      const codes = role && level === 'no factor' ? colleagues.get(role)?.recoveryCodes : undefined;
      return { body: { recovery_code: codes?.shift() ?? '00000-00000' } };
    },
    startFirstPasskey: async () => ({}),
    addFirstPasskey: async () => ({ body: { name: 'گوشی', credential: strayRegistration(world) } }),
    startFirstApp: async () => ({}),
    confirmFirstApp: async () => ({ body: { code: '123456' } }),
    getStaffSelf: async () => ({}),
    listStaffSessions: async () => ({}),
    endOtherStaffSessions: async () => ({ body: {} }),
    startStaffProof: async () => ({}),
    proveStaff: async () => ({ body: { totp: '123456' } }),
    signOutStaff: async () => ({ body: {} }),
  } satisfies Partial<StaffRequests>;
}

function peopleRequests(scene: StaffScene) {
  const { somebody } = scene;
  const onUser = async (role: StaffRole | undefined, level: Level, make: typeof freshUser) => ({
    params: { id: await ifLetIn(role, level, 'people.suspend', () => make(scene)) },
    body: { reason: 'an attack' },
  });
  return {
    listStaff: async () => ({}),
    addStaffMember: async () => ({ body: { email: freshEmail(), role: 'auditor' } }),
    disableStaffMember: async () => ({ params: { id: await freshMember(scene) }, body: { reason: 'left us' } }),
    listAudit: async () => ({}),
    searchPeople: async () => ({ body: { text: 'mail.example' } }),
    countPeople: async () => ({ query: { state: 'active' } }),
    suspendUser: async (role, level) => await onUser(role, level, freshUser),
    reopenUser: async (role, level) => await onUser(role, level, suspendedUser),
    ...bulkRequests(scene),
    getUserFacts: async () => ({ params: { id: somebody } }),
    readTimeline: async () => ({ params: { id: somebody } }),
    listUserDeliveries: async () => ({ params: { id: somebody } }),
    listUnsentDeliveries: async () => ({}),
    resendDelivery: async () => ({ params: { id: await sentLink(scene) } }),
    showContact: async () => ({ params: { id: somebody }, body: { reason: 'they asked' } }),
  } satisfies Partial<StaffRequests>;
}

function bulkRequests(scene: StaffScene) {
  const whom = { ids: [scene.somebody] };
  /** Signing out is what most roles may do for many; finance credits. */
  const fresh = async (state: BulkState, act: BulkAct = 'end_sessions') => ({
    params: { id: await freshBulk(scene, act, state) },
    body: {},
  });
  const actOf = (role: StaffRole | undefined) => (role === 'finance' ? 'credit' : 'end_sessions');
  return {
    suspendPeople: async () => ({ body: { act: 'suspend', whom, reason: 'an attack' } }),
    endSessionsOfPeople: async () => ({ body: { whom, reason: 'an attack' } }),
    creditPeople: async () => ({
      body: { whom, toman: 10, sum: 10, message: 'عذر ما را بپذیرید.', reason: 'an outage' },
    }),
    listBulks: async () => ({}),
    getBulk: async () => ({ params: (await fresh('running')).params }),
    listBulkPeople: async () => ({ params: (await fresh('running')).params, query: { state: 'open' } }),
    exportBulk: async () => ({ params: (await fresh('running')).params }),
    pauseBulk: (role) => fresh('running', actOf(role)),
    continueBulk: (role) => fresh('paused', actOf(role)),
    stopBulk: (role) => fresh('planned', actOf(role)),
    undoBulk: async () => ({ ...(await fresh('done', 'suspend')), body: { reason: 'a mistake' } }),
  } satisfies Partial<StaffRequests>;
}

function moneyRequests(scene: StaffScene) {
  const { colleagues, somebody, debtor, payer, paid } = scene;
  const settled = async (
    role: StaffRole | undefined,
    level: Level,
    make: (scene: StaffScene) => Promise<string>,
    body: object,
  ) => ({ params: { id: await ifLetIn(role, level, 'payments.settle', () => make(scene)) }, body });
  return {
    adjustWallet: async () => ({ params: { id: somebody }, body: { toman: 10, reason: 'a gift' } }),
    forgiveDebt: async () => ({ params: { id: debtor.id }, body: { reason: 'a gift' } }),
    refundOnBehalf: async () => {
      const payment = await payAndVerify(payer, 'zarinpal');
      return { params: { id: payer.id, payment }, body: { reason: 'they asked' } };
    },
    listProposals: async () => ({}),
    approveProposal: async () => ({ params: { id: await freshProposal(scene, payer.id) }, body: {} }),
    declineProposal: async () => ({
      params: { id: await freshProposal(scene, payer.id) },
      body: { reason: 'too much' },
    }),
    withdrawProposal: async (role) => {
      const own = role && colleagues.get(role)?.member.userId;
      return { params: { id: await freshProposal(scene, own ?? payer.id) }, body: { reason: 'a mistake' } };
    },
    ...approvalRequests(scene),
    listAllPayments: async () => ({}),
    exportPayments: async () => ({ query: { group: 'failed' } }),
    getPaymentFacts: async () => ({ params: { id: paid } }),
    listStaffPlans: async () => ({}),
    setPlan: async () => ({
      params: { id: 'business' },
      body: { ...(await nextPlanPrice(scene)), reason: 'the servers cost more' },
    }),
    cancelPlanVersion: async () => ({ params: { id: await freshPlanVersion(scene) }, body: { reason: 'not yet' } }),
    listPrices: async () => ({}),
    changePrice: async () => ({
      body: { usd_cents_per_gb: 4, seen: await newestPrice(scene), reason: 'the servers cost more' },
    }),
    cancelPrice: async () => ({ params: { id: await freshPrice(scene) }, body: { reason: 'not yet' } }),
    ...bookRequests(scene),
    ...cardRequests(scene),
    listSettings: async () => ({}),
    readSetting: async () => ({ params: { key: 'configs.perUser' } }),
    changeSetting: async () => {
      const { expected, value } = await anotherValue(scene);
      return { params: { key: 'configs.perUser' }, body: { expected, value, reason: 'more devices' } };
    },
    resetSetting: async () => {
      const { expected } = await anotherValue(scene);
      return { params: { key: 'configs.perUser' }, body: { expected, reason: 'as it was' } };
    },
    getDailyReport: async () => ({ query: { report: 'usage' } }),
    exportDailyReport: async () => ({ query: { report: 'takings' } }),
    getNodeReport: async () => ({}),
    exportNodeReport: async () => ({}),
    getPlanReport: async () => ({}),
    getLiability: async () => ({}),
    askBank: async () => ({ params: { id: paid }, body: {} }),
    creditPayment: async (role, level) => {
      const id = await ifLetIn(role, level, 'payments.settle', () => waitingPayment(scene));
      return { params: { id }, body: { reference: `ref-${id}`, reason: 'the bank has it' } };
    },
    failPayment: async (role, level) => await settled(role, level, waitingPayment, { reason: 'nothing there' }),
    listRefunds: async () => ({}),
    markRefundSent: async (role, level) =>
      await settled(role, level, waitingRefund, { tracking: 'P-1', reason: 'sent in the panel' }),
    confirmRefund: async (role, level) => await settled(role, level, waitingRefund, { reason: 'it arrived' }),
    failRefund: async (role, level) => await settled(role, level, waitingRefund, { reason: 'the card is closed' }),
  } satisfies Partial<StaffRequests>;
}

function approvalRequests(scene: StaffScene) {
  const { colleagues, payer } = scene;
  return {
    listApprovals: async () => ({}),
    approveAct: async () => ({ params: { id: await freshApproval(scene, payer.id) }, body: {} }),
    declineAct: async () => ({
      params: { id: await freshApproval(scene, payer.id) },
      body: { reason: 'too many' },
    }),
    withdrawAct: async (role) => {
      const own = role && colleagues.get(role)?.member.userId;
      return { params: { id: await freshApproval(scene, own ?? payer.id) }, body: { reason: 'a mistake' } };
    },
  } satisfies Partial<StaffRequests>;
}

function bookRequests(scene: StaffScene) {
  return {
    getReconciliation: async () => ({}),
    importSettlement: async () => {
      const { bytes, ...file } = freshSettlementFile(scene);
      return { body: { gateway: 'zarinpal', ...file, content: bytes.toString('base64'), all_the_same: true } };
    },
    listDifferences: async () => ({}),
    resolveDifference: async (role, level) => {
      const id = await ifLetIn(role, level, 'payments.settle', () => freshDifference(scene));
      return { params: { id }, body: { book: 'bank', reason: 'it is on the statement' } };
    },
    listBookMonths: async () => ({}),
    closeBookMonth: async (role, level) => {
      const month = await ifLetIn(role, level, 'payments.settle', () => freshMonth(scene));
      const name = month === NOTHING ? '1399-01' : month;
      return { params: { month: name }, body: { name, reason: 'the accountant has it' } };
    },
    exportJournal: async () => ({ params: { month: '1405-08' } }),
  } satisfies Partial<StaffRequests>;
}

function cardRequests(scene: StaffScene) {
  const onBatch = async (role: StaffRole | undefined, level: Level) =>
    await ifLetIn(role, level, 'cards.manage', async () => (await freshBatch(scene)).id);
  return {
    listCardBatches: async () => ({}),
    getCardBatch: async () => ({ params: { id: (await freshBatch(scene)).id } }),
    listCardStores: async () => ({}),
    checkCardCode: async () => ({ body: { code: '7K3M-9QXW-2R5T-8VB3' } }),
    issueCards: async () => ({ body: { count: 2, usd_cents: 50, note: '', reason: 'for a shop' } }),
    voidCardBatch: async (role, level) => {
      const id = await onBatch(role, level);
      return { params: { id }, body: { name: batchName({ id }), reason: 'they were stolen' } };
    },
    voidCard: async (role, level) => {
      let last4 = 'XXXX';
      const id = await ifLetIn(role, level, 'cards.manage', async () => {
        const { card } = await freshBatch(scene);
        last4 = card.last4;
        return card.id;
      });
      return { params: { id }, body: { last4, reason: 'it was stolen' } };
    },
    expireCardBatch: async (role, level) => ({ params: { id: await onBatch(role, level) }, body: { reason: 'over' } }),
  } satisfies Partial<StaffRequests>;
}

function operationRequests(scene: StaffScene) {
  const onNode = async (
    role: StaffRole | undefined,
    level: Level,
    body: object,
    may: Permission = 'fleet.manage',
    make: typeof freshNode = freshNode,
  ) => ({
    params: { id: await ifLetIn(role, level, may, async () => (await make(scene)).id) },
    body,
  });
  return {
    listTokens: async () => ({}),
    createToken: async () => ({ body: { name: 'a script', scopes: ['fleet.read'], days: 30 } }),
    revokeToken: async () => ({ params: { id: await freshToken(scene) }, body: { reason: 'it leaked' } }),
    describeCalls: async () => ({}),
    getToday: async () => ({}),
    listAlerts: async () => ({}),
    acknowledgeAlert: async () => ({ params: { id: await freshAlert(scene) }, body: { remind_minutes: null } }),
    silenceAlert: async () => ({ params: { id: await freshAlert(scene) }, body: { minutes: 60 } }),
    listLiveNodes: async () => ({}),
    listNodeFigures: async () => ({}),
    listNodeMargins: async () => ({}),
    getReachMap: async () => ({ query: { span: 'hour' } }),
    getReachWay: async () => ({ params: { network: '197207', transport: 'wireguard' }, query: { span: 'week' } }),
    getNodeFacts: async () => ({ params: { id: (await freshNode(scene)).id } }),
    drainNode: async (role, level) => await onNode(role, level, { reason: 'a new disk' }),
    activateNode: async (role, level) => {
      const request = await onNode(role, level, { reason: 'the disk is in' });
      const { id: nodeId } = request.params;
      if (nodeId !== NOTHING) await drainNode(scene.world.deps, { actor, nodeId });
      return request;
    },
    listEntries: async () => ({}),
    blockEntry: async (role, level) => await onNode(role, level, { relay: null, reason: 'MCI drops it' }),
    unblockEntry: async (role, level) => {
      const request = await onNode(role, level, { relay: null, reason: 'it comes through' });
      const entry = { nodeId: request.params.id, relayId: null };
      if (entry.nodeId !== NOTHING) await blockEntry(scene.world.deps, { actor, entry });
      return request;
    },
    tracePort: async (role, level) => {
      const body = { family: 4, protocol: 'tcp', port: 40_000, reason: 'complaint 1405-77' };
      return await onNode(role, level, body, 'abuse.trace', onlineNode);
    },
    retireNode: async (role, level) => await onNode(role, level, { days: 7, reason: 'too dear' }),
    revokeNode: async (role, level) => {
      let name = 'node';
      const make = async () => {
        const node = await freshNode(scene);
        name = node.name;
        return node.id;
      };
      const id = await ifLetIn(role, level, 'fleet.manage', make);
      return { params: { id }, body: { name, reason: 'the machine was seized' } };
    },
  } satisfies Partial<StaffRequests>;
}
