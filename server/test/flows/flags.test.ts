import type { FlagValue } from '@raha/contract/admin/flags.ts';
import type { SettingLine } from '@raha/contract/admin/settings.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findCauses } from '../../src/app/alert-causes.ts';
import { changeSetting } from '../../src/app/change-setting.ts';
import type { DoctorContext } from '../../src/app/doctor/finding.ts';
import { insideChecks } from '../../src/app/doctor/inside.ts';
import { allFlags } from '../../src/app/flags.ts';
import type { Command, Context } from '../../src/cli/context.ts';
import { flagCommands } from '../../src/cli/flag-commands.ts';
import { listEntries } from '../../src/modules/audit/audit.ts';
import { leaveServers } from '../../src/modules/configs/leave-servers.ts';
import { openconnectFlag } from '../../src/modules/configs/settings.ts';
import { retireNode } from '../../src/modules/fleet/retire-node.ts';
import { setOpenconnect } from '../../src/modules/fleet/set-openconnect.ts';
import { disableMember } from '../../src/modules/staff/disable-member.ts';
import { addDays } from '../../src/platform/clock.ts';
import { positionOf } from '../../src/platform/flag-rules.ts';
import { readSetting } from '../../src/platform/settings.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { type Colleague, openColleague, openStaffSession } from '../staff.ts';
import { actor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Flags, and the first of them: who is offered OpenConnect (decision 130). */
let world: TestWorld;
let boss: Colleague;
const { initial, key } = openconnectFlag;

beforeAll(async () => {
  world = await openTestWorld();
  boss = await openColleague(world, 'super_admin');
});
beforeEach(() => set(initial));
afterAll(async () => {
  await world?.proveLedger();
  await world?.close();
});

const current = async () => await readSetting(world.deps.db, openconnectFlag);
async function set(change: Partial<FlagValue>): Promise<void> {
  const text = JSON.stringify({ ...(await current()), ...change });
  await changeSetting(world.deps, { actor, key, text });
}

describe('OpenConnect', () => {
  let node: FakeNode;
  let user: TestUser;
  /** The lowest number at which the user is in. */
  let least: number;
  const lets = async (isIn: boolean) => await set({ percent: isIn ? least : least - 1 });

  async function openNode(): Promise<FakeNode> {
    const made = await enrolFakeNode(world);
    await made.serveOpenvpn();
    await setOpenconnect(world.deps, { actor, nodeId: made.id, port: 4443, udp: true });
    made.openconnect = true;
    await made.report([]);
    return made;
  }
  const create = async (name: string) => {
    const body = { name, serverId: node.id, protocol: 'openvpn' } as const;
    const { config } = (await user.api.createConfig({ body })).data;
    await node.settle();
    return config;
  };
  /** Where each config is told that OpenConnect is, and whether the server is said to have it. */
  const offered = async () => {
    const configs = (await user.api.listConfigs()).data.configs;
    const servers = (await user.api.listServers()).data.servers;
    const one = (await user.api.getServer({ params: { id: node.id } })).data.server;
    const known = servers.find(({ id }) => id === node.id);
    expect(one.openconnect).toBe(known?.openconnect);
    const ports = configs.map(({ name, server }) => [name, server.openconnect?.port]);
    return { ...Object.fromEntries(ports), server: known?.openconnect };
  };

  beforeAll(async () => {
    node = await openNode();
    user = await world.user();
    least = Math.floor(positionOf('openconnect', user.id)) + 1;
  });

  test('at first everybody is offered it, as before there was a flag', async () => {
    expect((await current()).percent).toBe(100);
    expect((await create('old')).server.openconnect).toEqual({ host: '198.51.100.2', port: 4443 });
    expect(await offered()).toEqual({ old: 4443, server: true });
  });

  test('who is out is offered it with no new config and no server; what was offered stays', async () => {
    await lets(false);
    expect((await create('out')).server.openconnect).toBeUndefined();
    expect(await offered()).toEqual({ old: 4443, out: undefined, server: undefined });
    await set({ percent: 0 });
    expect(await offered()).toEqual({ old: 4443, out: undefined, server: undefined });
    // The node is told nothing of it: what is set up on a device goes on.
    await node.sync();
    expect(node.settings?.openvpn?.openconnect?.port).toBe(4443);
  });

  test('who comes in is offered it with older configs, too; and keeps what was made then', async () => {
    await lets(true);
    expect((await create('in')).server.openconnect?.port).toBe(4443);
    expect(await offered()).toEqual({ old: 4443, out: 4443, in: 4443, server: true });
    await set({ percent: 100 });
    expect(await offered()).toEqual({ old: 4443, out: 4443, in: 4443, server: true });
    await lets(false);
    expect(await offered()).toEqual({ old: 4443, out: undefined, in: 4443, server: undefined });
  });

  test('a replacement on another server is offered it as its config was', async () => {
    await set({ percent: 0 });
    const target = await openNode();
    await retireNode(world.deps, { actor, nodeId: node.id, days: 7, movesTo: target.id });
    await leaveServers(world.deps);
    const moved = (await user.api.listConfigs()).data.configs.filter(({ server }) => server.id === target.id);
    const ports = moved.map(({ name, server }) => [name, server.openconnect?.port]);
    expect(Object.fromEntries(ports)).toEqual({ old: 4443, out: undefined, in: 4443 });
  });
});

async function call(path: string, body?: object, member = boss) {
  const headers = {
    ...{ cookie: await openStaffSession(world, member.userId), 'x-raha-console': '1', 'accept-language': 'en' },
    ...(body ? { 'content-type': 'application/json' } : {}),
  };
  const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
  const response = await fetch(`${world.origin}/api/v1/admin/settings/${key}${path}`, request);
  const json = (await response.json()) as { code?: string; data?: { setting: SettingLine } };
  return { status: response.status, code: json.code, setting: json.data?.setting };
}
const change = async (value: object) => await call('', { value, expected: await current(), reason: 'a first try' });
const shown = async () => (await call('')).setting?.flag;

describe('a flag in the console', () => {
  test('is a setting with an owner and a day, changed by the call of settings; the audit has both values', async () => {
    const value = { percent: 10, owner: boss.userId, until: '2027-03-01' };
    expect((await change(value)).status).toBe(200);
    expect(await current()).toEqual(value);
    expect(await shown()).toEqual({ owner: boss.email, is_owned: true, is_overdue: false });
    const [entry] = await listEntries(world.deps.db, { target: { kind: 'setting', id: key } }, 1);
    const step = (entry?.changed as { value?: readonly string[] } | undefined)?.value ?? [];
    expect(step.map((text) => JSON.parse(text))).toEqual([initial, value]);
    expect(entry).toMatchObject({ action: 'settings.set', actor: boss.userId, reason: 'a first try' });
  });

  test.each([
    [{ ...initial, percent: 101 }, 'setting_value'],
    [{ ...initial, percent: 12.5 }, 'setting_value'],
    [{ ...initial, owner: 'nobody' }, 'setting_value'],
    [{ ...initial, until: 'soon' }, 'setting_value'],
    [{ percent: 10 }, 'setting_value'],
    [{ ...initial, more: 1 }, 'setting_value'],
    [{ ...initial, owner: '00000000-0000-7000-8000-000000000000' }, 'flag_owner'],
  ])('%o is refused: %s', async (value, code) => {
    expect(await change(value)).toMatchObject({ status: 422, code });
    expect(await current()).toEqual(initial);
  });

  test('an owner who left is no owner', async () => {
    const member = await openColleague(world, 'admin');
    await set({ owner: member.userId });
    await disableMember(world.deps, { actor, userId: member.userId });
    expect(await shown()).toEqual({ owner: member.email, is_owned: false, is_overdue: false });
    expect(await change({ ...initial, owner: member.userId })).toMatchObject({ status: 422, code: 'flag_owner' });
  });
});

test('past its day an alert stays and the doctor warns, until it has another one', async () => {
  const { deps } = world;
  const causes = async (clock = deps.clock) =>
    (await findCauses({ ...deps, clock }, [])).filter(({ rule }) => rule === 'flag_overdue').map(({ cause }) => cause);
  const doctor = async () => {
    const check = insideChecks.find(({ name }) => name === 'flags');
    return (await check?.run({ db: deps.db, clock: deps.clock } as DoctorContext))?.map(({ level }) => level);
  };
  const day = (days: number) => addDays(deps.clock.now(), days).toISOString().slice(0, 10);
  await set({ until: day(1) });
  expect([await causes(), await doctor(), (await shown())?.is_overdue]).toEqual([[], ['ok'], false]);
  await set({ until: day(-2) });
  expect([await causes(), await doctor(), (await shown())?.is_overdue]).toEqual([['openconnect'], ['warning'], true]);
});

test('the command line: share, owner by role or mail, and day, each alone', async () => {
  const raha = async (command: string, flags: Record<string, string> = {}) => {
    const { run } = flagCommands[`flags ${command}`] as Command;
    return await run({ ...world.deps, flags } as unknown as Context);
  };
  await raha('set', { name: 'openconnect', share: '25', reason: 'a first try' });
  await raha('set', { name: 'openconnect', owner: boss.email });
  await raha('set', { name: 'openconnect', until: '2027-01-31' });
  expect(await current()).toEqual({ percent: 25, owner: boss.userId, until: '2027-01-31' });
  expect((await raha('list')).lines[1]).toBe(`openconnect\t25 %\t${boss.email}\t2027-01-31\tno`);
  await raha('set', { name: 'openconnect', share: 'off', owner: 'finance' });
  expect((await raha('list')).lines[1]).toBe('openconnect\toff\tfinance\t2027-01-31\tno');
  await expect(raha('set', { name: 'openconnect', share: '101' })).rejects.toThrow('--share takes');
  await expect(raha('set', { name: 'openconnect', owner: 'x@mail.example' })).rejects.toThrow('nor works here');
  await expect(raha('set', { name: 'other' })).rejects.toThrow('Flags: openconnect');
});

test('every flag has a day to come and an owner from the start, so that none is overdue when it is shipped', () => {
  for (const flag of allFlags()) {
    expect(flag.key).toBe(`flags.${flag.flag}`);
    expect(flag.initial.until > '2026-11-27').toBe(true);
  }
});
