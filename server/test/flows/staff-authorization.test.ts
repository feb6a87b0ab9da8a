import { randomUUID } from 'node:crypto';
import { isPermitted, type Permission, type StaffRole, staffRoles } from '@raha/contract/admin/roles.ts';
import { adminEndpoints } from '@raha/contract/admin/table.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerNode } from '../../src/modules/fleet/register-node.ts';
import { requestRefund } from '../../src/modules/payments/request-refund.ts';
import { hashToken } from '../../src/modules/sessions/tokens.ts';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { addSeconds } from '../../src/platform/clock.ts';
import { newId, newSecret } from '../../src/platform/random.ts';
import { payAndVerify, payAtBank } from '../bank.ts';
import { strayRegistration } from '../passkeys.ts';
import { type Colleague, openColleague } from '../staff.ts';
import { actor, openTestWorld, type TestUser, type TestWorld, unlimited } from '../world.ts';
import { partOfPage } from './authorization-page.ts';
import { sendCall, type WireRequest } from './every-request.ts';

/**
 * Every call of the console, sent by every role without a factor, with one, and with a fresh proof; by nobody; and by a super
 * admin with a token of the panel. docs/authorization.md holds the expected statuses; the rules below hold independently.
 */
const levels = ['no factor', 'factor', 'fresh proof'] as const;
type Level = (typeof levels)[number];
type Name = keyof typeof adminEndpoints;

interface Row {
  readonly nobody: number;
  readonly panel: number;
  readonly roles: Readonly<Record<StaffRole, Readonly<Record<Level, number>>>>;
}

let world: TestWorld;
let panelToken: string;
let somebody: string;
let debtor: TestUser;
let payer: TestUser;
let paid: string;
const colleagues = new Map<StaffRole, { member: Colleague; recoveryCodes: string[] }>();
const rows = new Map<Name, Row>();
let count = 0;

const freshMember = async () => {
  count += 1;
  return (await addMember(world.deps, { actor, email: `fresh${count}@staff.example`, role: 'support' })).userId;
};
const freshEmail = () => {
  count += 1;
  return `fresh${count}@staff.example`;
};

/** As if this member, or somebody who is none, had proposed it. */
const freshProposal = async (proposedBy: string) => {
  const id = newId(world.deps.clock.now());
  await sql`
    INSERT INTO correction_proposal (id, user_id, kind, amount_toman, reason, proposed_by, proposed_at, expires_at)
    VALUES (${id}, ${somebody}, 'adjustment', 10, 'a gift', ${proposedBy}, now(), now() + interval '1 day')
  `.execute(world.deps.db);
  return id;
};

/** Only a call that is let through needs something to act on: all others are refused before. */
const ifLetIn = async (role: StaffRole | undefined, level: Level, may: Permission, make: () => Promise<string>) =>
  role && level === 'fresh proof' && isPermitted(role, may) ? await make() : NOTHING;
const NOTHING = '00000000-0000-7000-8000-000000000000';

/** A payment that waits for the operator. */
const waitingPayment = async () => {
  const id = await payAtBank(payer, 'zarinpal');
  await sql`UPDATE payment SET state = 'needs_review', next_check_at = NULL WHERE id = ${id}`.execute(world.deps.db);
  return id;
};

/** A refund that waits for the operator. */
const waitingRefund = async () => {
  const payment = await payAndVerify(payer, 'idpay');
  await requestRefund(world.deps, { userId: payer.id, paymentId: payment });
  const { rows } = await sql<{ id: string }>`
    UPDATE refund SET route = 'hand' WHERE payment_id = ${payment} RETURNING id
  `.execute(world.deps.db);
  return rows[0]?.id ?? '';
};

const freshNode = async () => {
  count += 1;
  nodeName = `node-${count}`;
  return (await registerNode(world.deps, { actor, name: nodeName, country: 'DE', city: 'Berlin' })).nodeId;
};
let nodeName = 'node';

const freshAlert = async () => {
  const id = newId(world.deps.clock.now());
  await sql`
    INSERT INTO alert (id, rule, cause, severity, began_at, seen_at, opened_at)
    VALUES (${id}, 'node_silent', ${id}, 'page', now(), now(), now())
  `.execute(world.deps.db);
  return id;
};

/** One valid request for each call. Codes and signatures are wrong ones: the right ones are tried elsewhere. */
const requests: Readonly<Record<Name, (role: StaffRole | undefined, level: Level) => Promise<WireRequest>>> = {
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
  listStaff: async () => ({}),
  addStaffMember: async () => ({ body: { email: freshEmail(), role: 'auditor' } }),
  disableStaffMember: async () => ({ params: { id: await freshMember() }, body: { reason: 'left us' } }),
  listAudit: async () => ({}),
  searchPeople: async () => ({ body: { text: 'mail.example' } }),
  getUserFacts: async () => ({ params: { id: somebody } }),
  readTimeline: async () => ({ params: { id: somebody } }),
  showContact: async () => ({ params: { id: somebody }, body: { reason: 'they asked' } }),
  adjustWallet: async () => ({ params: { id: somebody }, body: { toman: 10, reason: 'a gift' } }),
  forgiveDebt: async () => ({ params: { id: debtor.id }, body: { reason: 'a gift' } }),
  refundOnBehalf: async () => {
    const payment = await payAndVerify(payer, 'zarinpal');
    return { params: { id: payer.id, payment }, body: { reason: 'they asked' } };
  },
  listProposals: async () => ({}),
  approveProposal: async () => ({ params: { id: await freshProposal(payer.id) }, body: {} }),
  declineProposal: async () => ({ params: { id: await freshProposal(payer.id) }, body: { reason: 'too much' } }),
  listAlerts: async () => ({}),
  acknowledgeAlert: async () => ({ params: { id: await freshAlert() }, body: { remind_minutes: null } }),
  silenceAlert: async () => ({ params: { id: await freshAlert() }, body: { minutes: 60 } }),
  withdrawProposal: async (role) => {
    const own = role && colleagues.get(role)?.member.userId;
    return { params: { id: await freshProposal(own ?? payer.id) }, body: { reason: 'a mistake' } };
  },
  listAllPayments: async () => ({}),
  exportPayments: async () => ({ query: { group: 'failed' } }),
  getPaymentFacts: async () => ({ params: { id: paid } }),
  askBank: async () => ({ params: { id: paid }, body: {} }),
  creditPayment: async (role, level) => {
    const id = await ifLetIn(role, level, 'payments.settle', waitingPayment);
    return { params: { id }, body: { reference: `ref-${id}`, reason: 'the bank has it' } };
  },
  failPayment: async (role, level) => {
    const id = await ifLetIn(role, level, 'payments.settle', waitingPayment);
    return { params: { id }, body: { reason: 'nothing there' } };
  },
  listRefunds: async () => ({}),
  markRefundSent: async (role, level) => {
    const id = await ifLetIn(role, level, 'payments.settle', waitingRefund);
    return { params: { id }, body: { tracking: 'P-1', reason: 'sent in the panel' } };
  },
  confirmRefund: async (role, level) => {
    const id = await ifLetIn(role, level, 'payments.settle', waitingRefund);
    return { params: { id }, body: { reason: 'it arrived' } };
  },
  failRefund: async (role, level) => {
    const id = await ifLetIn(role, level, 'payments.settle', waitingRefund);
    return { params: { id }, body: { reason: 'the card is closed' } };
  },
  getToday: async () => ({}),
  listLiveNodes: async () => ({}),
  listNodeFigures: async () => ({}),
  listNodeMargins: async () => ({}),
  getNodeFacts: async () => ({ params: { id: await freshNode() } }),
  drainNode: async (role, level) => {
    const id = await ifLetIn(role, level, 'fleet.manage', freshNode);
    return { params: { id }, body: { reason: 'a new disk' } };
  },
  activateNode: async (role, level) => {
    const id = await ifLetIn(role, level, 'fleet.manage', freshNode);
    return { params: { id }, body: { reason: 'the disk is in' } };
  },
  retireNode: async (role, level) => {
    const id = await ifLetIn(role, level, 'fleet.manage', freshNode);
    return { params: { id }, body: { days: 7, reason: 'too dear' } };
  },
  revokeNode: async (role, level) => {
    const id = await ifLetIn(role, level, 'fleet.manage', freshNode);
    return { params: { id }, body: { name: nodeName, reason: 'the machine was seized' } };
  },
};

beforeAll(async () => {
  world = await openTestWorld({ restores: false, overrides: { minuteLimit: unlimited } });
  for (const role of staffRoles) {
    const member = await openColleague(world, role);
    colleagues.set(role, { member, recoveryCodes: [...member.recoveryCodes] });
  }
  const user = await world.user({ usdCents: 0 });
  await addMember(world.deps, { actor, email: user.email, role: 'super_admin' });
  panelToken = user.token;
  somebody = (await world.user({ usdCents: 0 })).id;
  payer = await world.user();
  paid = await payAndVerify(payer, 'zarinpal');
  debtor = await world.user();
  const owed = await payAndVerify(debtor, 'zarinpal');
  await sql`
    INSERT INTO payment_reversal (payment_id, user_id, amount_toman, owed_toman, evidence, created_at)
    VALUES (${owed}, ${debtor.id}, 500, 500, '{}', now())
  `.execute(world.deps.db);
  for (const name of Object.keys(adminEndpoints) as Name[]) {
    const roles = {} as Record<StaffRole, Record<Level, number>>;
    for (const role of staffRoles) {
      roles[role] = {} as Record<Level, number>;
      for (const level of levels) roles[role][level] = await statusOf(name, { role, level });
    }
    rows.set(name, { nobody: await statusOf(name), panel: await statusOf(name, 'panel'), roles });
  }
}, 120_000);
afterAll(() => world.close());

test('the table in the docs matches the console', () => {
  const table = render();
  expect(partOfPage('console', table)).toBe(table);
});

test('a call of staff opens to the roles that may, with the proof that it asks for, and to nobody else', () => {
  for (const [name, endpoint] of Object.entries(adminEndpoints) as [Name, (typeof adminEndpoints)[Name]][]) {
    if (endpoint.caller !== 'staff') continue;
    const row = rows.get(name) as Row;
    expect([name, row.nobody, row.panel]).toEqual([name, 401, 401]);
    for (const role of staffRoles) {
      const status = row.roles[role];
      const may = isPermitted(role, endpoint.may);
      expect([name, role, status['no factor']]).toEqual([name, role, 401]);
      if (!may) expect([name, role, status.factor, status['fresh proof']]).toEqual([name, role, 403, 403]);
      else {
        if (endpoint.proof !== 'none') expect([name, role, status.factor]).toEqual([name, role, 401]);
        else expect([name, role, status.factor < 400]).toEqual([name, role, true]);
        expect([name, role, status['fresh proof'] < 400]).toEqual([name, role, true]);
      }
    }
  }
});

test('the own session is every member’s, and nobody’s without a factor or with a token of the panel', () => {
  for (const [name, { caller }] of Object.entries(adminEndpoints) as [Name, (typeof adminEndpoints)[Name]][]) {
    if (caller !== 'self') continue;
    const { nobody, panel, roles } = rows.get(name) as Row;
    expect([name, nobody, panel]).toEqual([name, 401, 401]);
    for (const role of staffRoles) expect([name, role, roles[role]['no factor']]).toEqual([name, role, 401]);
  }
});

test('what completes a sign-in needs the mailed code first', () => {
  for (const [name, { caller }] of Object.entries(adminEndpoints) as [Name, (typeof adminEndpoints)[Name]][]) {
    if (caller !== 'pending') continue;
    const { nobody, panel, roles } = rows.get(name) as Row;
    expect([name, nobody, panel, roles.support.factor]).toEqual([name, 400, 400, 400]);
  }
});

async function statusOf(name: Name, who?: 'panel' | { role: StaffRole; level: Level }): Promise<number> {
  const { method, path } = adminEndpoints[name];
  const asked = who === undefined || who === 'panel' ? undefined : who;
  const request = await requests[name](asked?.role, asked?.level ?? 'no factor');
  const cookie = asked && (await openCookie(asked.role, asked.level));
  const headers = { 'x-raha-console': '1', ...(cookie ? { cookie } : {}) };
  const sent = { ...request, headers } as WireRequest;
  const token = who === 'panel' ? panelToken : undefined;
  const response = await sendCall(world.origin, method, API_BASE + path, sent, token);
  await response.body?.cancel();
  return response.status;
}

/** A session of its own for each request, because some end it. */
async function openCookie(role: StaffRole, level: Level): Promise<string> {
  const userId = colleagues.get(role)?.member.userId;
  const token = newSecret();
  const now = world.deps.clock.now();
  const end = addSeconds(now, 600);
  if (level === 'no factor') {
    await sql`
      INSERT INTO staff_sign_in (token_hash, user_id, created_at, expires_at) VALUES (${hashToken(token)}, ${userId}, ${now}, ${end})
    `.execute(world.deps.db);
    return `staff_sign_in=${token}`;
  }
  const proved = level === 'factor' ? addSeconds(now, -16 * 60) : now;
  await sql`
    INSERT INTO staff_session (id, token_hash, user_id, created_at, last_used_at, proved_at, expires_at)
    VALUES (${randomUUID()}, ${hashToken(token)}, ${userId}, ${now}, ${now}, ${proved}, ${end})
  `.execute(world.deps.db);
  return `staff_session=${token}`;
}

function render(): string {
  const cell = (status: Readonly<Record<Level, number>>) => levels.map((level) => status[level]).join(' · ');
  const lines = [...rows].map(([name, { nobody, panel, roles }]) => {
    const { method, path } = adminEndpoints[name];
    return `| ${method} ${path} | ${nobody} | ${panel} | ${staffRoles.map((role) => cell(roles[role])).join(' | ')} |`;
  });
  return `${[
    '',
    'Made and checked by `server/test/flows/staff-authorization.test.ts`. Per role three figures: after the mailed code but *without a',
    'factor*, *with a factor* shown more than 15 minutes ago, and *with a fresh proof*. 401: sign in, or show a factor again; 403: the',
    'role may not; 400: no sign-in waits for a factor in this browser, or the code is a wrong one; 409: the member has a factor already.',
    '',
    '*nobody*: no cookie. *panel*: a super admin with a token of the panel, which opens nothing here.',
    '',
    `| call | nobody | panel | ${staffRoles.join(' | ')} |`,
    `|---|---|---|${staffRoles.map(() => '---').join('|')}|`,
    ...lines,
  ].join('\n')}\n`;
}
