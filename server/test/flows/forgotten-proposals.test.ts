import type { StaffRole } from '@raha/contract/admin/roles.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findCauses } from '../../src/app/alert-causes.ts';
import { keepAlerts } from '../../src/modules/alerts/keep-alerts.ts';
import { listAlerts } from '../../src/modules/alerts/list-alerts.ts';
import { sendMessages } from '../../src/modules/alerts/send-messages.ts';
import { requestBatch } from '../../src/modules/gift-cards/request-batch.ts';
import { addMember } from '../../src/modules/staff/add-member.ts';
import { declineAct, withdrawAct } from '../../src/modules/staff/approvals.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { requestAdjustment } from '../../src/modules/wallet/propose-correction.ts';
import type { StaffActor } from '../../src/platform/audit.ts';
import { manualClock } from '../../src/platform/clock.ts';
import type { Email } from '../../src/platform/email.ts';
import { makeUser } from '../money/bench.ts';
import { actor, openTestWorld, type TestWorld } from '../world.ts';

/** A proposal that nobody decides becomes an alert, which goes to those who may decide it and closes when it is decided. */
const clock = manualClock(new Date('2026-11-20T08:00:00Z'));
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RULE = 'proposals_forgotten';
const mails: Email[] = [];
let world: TestWorld;
let deps: TestWorld['deps'];
let members: Readonly<Record<StaffRole, StaffActor & { readonly email: string }>>;

beforeAll(async () => {
  world = await openTestWorld({ clock, restores: false, keepsNodes: false });
  const add = async (role: StaffRole) => {
    const email = `${role}@staff.example`;
    return { kind: 'staff', email, userId: (await addMember(world.deps, { actor, email, role })).userId } as const;
  };
  members = {
    ...{ super_admin: await add('super_admin'), admin: await add('admin'), support: await add('support') },
    ...{ finance: await add('finance'), auditor: await add('auditor') },
  };
  deps = Object.assign(Object.create(world.deps) as TestWorld['deps'], {
    mailer: { send: async (mail: Email) => void mails.push(mail) },
    config: { ...world.deps.config, operatorEmail: undefined },
  });
});
afterAll(() => world?.close());
beforeEach(async () => {
  await sql`DELETE FROM alert`.execute(deps.db);
  mails.length = 0;
});

/** What the worker does twice a minute; only this rule is of interest. */
async function look(advanceMs = 0): Promise<number | undefined> {
  clock.advance(advanceMs);
  const causes = (await findCauses(deps, [])).filter(({ rule }) => rule === RULE);
  await keepAlerts(deps, causes, () => true);
  await sendMessages(deps);
  return (await listAlerts(deps.db)).open.find(({ rule }) => rule === RULE)?.figure ?? undefined;
}

const REASON = 'a reason that only staff read';

async function propose(by: StaffActor = members.finance): Promise<string> {
  const cards = { count: 77, usd_cents: 4_321, expires: null, note: 'a shop of ours' };
  return (await requestBatch(deps, { actor: by, cards, reason: REASON })).id;
}

test('from an hour on it is one alert for those who may decide, which says no more than how many, and closes', async () => {
  const first = await propose();
  expect(await look(59 * MINUTE)).toBeUndefined();
  const user = await makeUser(world);
  const order = { actor: members.support, userId: user.id, amountToman: 9_000_000n, reason: REASON };
  expect(await requestAdjustment(deps, order)).toMatchObject({ outcome: 'proposed' });
  expect(await look(MINUTE)).toBe(1);
  expect(mails.map(({ to }) => to).sort()).toEqual([members.finance.email, members.super_admin.email].sort());
  for (const { subject, text } of mails) {
    expect(text).toContain('/admin/corrections');
    // An address has the port of this run.
    const content = `${subject}\n${text}`.replaceAll(/https?:\S+/g, '');
    expect(content).toContain('۱');
    for (const secret of [REASON, '77', '۷۷', '4321', '43.21', 'shop', user.email, 'support@'])
      expect(content).not.toContain(secret);
  }
  // The other one joins the same alert, of which nobody hears again.
  expect(await look(HOUR)).toBe(2);
  expect(mails).toHaveLength(2);
  await declineAct(deps, { actor: members.super_admin, id: first, reason: 'too many' });
  expect(await look()).toBe(1);
  await sql`UPDATE correction_proposal SET expires_at = ${clock.now()} WHERE state = 'open'`.execute(deps.db);
  await look();
  expect(await look(3 * MINUTE)).toBeUndefined();
  expect(mails).toHaveLength(4);
});

test('who may no longer decide is sent nothing of what was written for them', async () => {
  const id = await propose();
  clock.advance(HOUR);
  const causes = (await findCauses(deps, [])).filter(({ rule }) => rule === RULE);
  await keepAlerts(deps, causes, () => true);
  await sql`UPDATE staff_member SET role = 'support' WHERE user_id = ${members.finance.userId}`.execute(deps.db);
  await sendMessages(deps);
  expect(mails.map(({ to }) => to)).toEqual([members.super_admin.email]);
  await sql`UPDATE staff_member SET role = 'finance' WHERE user_id = ${members.finance.userId}`.execute(deps.db);
  await withdrawAct(deps, { actor: members.finance, id, reason: 'a mistake' });
});

test('one who is alone hears of it as soon as they may decide it themselves', async () => {
  await disableMember(deps, { actor, userId: members.finance.userId });
  await propose(members.super_admin);
  expect(await look(HOUR)).toBeUndefined();
  expect(await look(23 * HOUR - 1_000)).toBeUndefined();
  expect(await look(1_000)).toBe(1);
  expect(mails.map(({ to }) => to)).toEqual([members.super_admin.email]);
});
