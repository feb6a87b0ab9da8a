import { limits } from '@raha/contract/limits.ts';
import { API_BASE } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { getUser } from '../../src/modules/accounts/users.ts';
import { leaveServers } from '../../src/modules/configs/leave-servers.ts';
import { listConfigs } from '../../src/modules/configs/list-configs.ts';
import { shareConfig } from '../../src/modules/configs/share-config.ts';
import { activateNode } from '../../src/modules/fleet/activate-node.ts';
import { retireNode } from '../../src/modules/fleet/retire-node.ts';
import { suspendAccount } from '../../src/modules/profile/suspend-account.ts';
import { manualClock } from '../../src/platform/clock.ts';
import { BrowserClient } from '../browser-client.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { actor, openTestWorld, PASSWORD, type TestUser, type TestWorld, unlimited, withPassword } from '../world.ts';

/** A config for somebody without an account: a link that opens once, what it shows, and how it ends (decision 90). */
const clock = manualClock(new Date('2026-12-10T08:00:00Z'));
const DAY = 86_400_000;
let world: TestWorld;
let node: FakeNode;
let owner: TestUser;

beforeAll(async () => {
  world = await openTestWorld({ clock, overrides: { minuteLimit: unlimited } });
  node = await enrolFakeNode(world);
});
// Some tests let weeks pass, in which sessions end.
beforeEach(async () => {
  owner = await world.user({ usdCents: 5_000 });
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

let made = 0;
const share = { guest_name: 'مادر', sender_name: 'نیلوفر', monthly_gb: 1 };

async function newConfig(more: object = {}, by = owner) {
  made += 1;
  await node.report([]);
  const body = { name: `پنهان ${made}`, serverId: node.id, ...more };
  const { data } = await by.api.createConfig({ body });
  await node.settle();
  return data.config;
}

async function newLink(more: Partial<typeof share> = {}, by = owner) {
  const { id } = await newConfig({}, by);
  const { data } = await by.api.shareConfig({ params: { id }, body: { ...share, ...more } });
  return { configId: id, token: data.token, shared: data.config };
}

const browser = () => new BrowserClient(world);
const open = (by: BrowserClient, token: string) => by.post('/family/open', { token });
const look = async (by: BrowserClient, token: string) =>
  (await by.post('/family/look', { token })).body.data as { state: string; guest_name: string; sender_name: string };
const familyOf = async (id: string, by = owner) => (await by.api.getConfig({ params: { id } })).data.config.family;

/** Fetches a file of a page with the cookie that `cookie` holds. */
async function file(id: string, cookie: string, what = 'file') {
  const response = await fetch(`${world.origin}${API_BASE}/family/${id}/${what}`, { headers: { cookie } });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** Opens a link as `fetch` does, to see the cookie. */
async function openRaw(token: string) {
  const response = await fetch(`${world.origin}${API_BASE}/family/open`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const [line = ''] = response.headers.getSetCookie();
  const { data } = (await response.json()) as { data: { id: string; filename: string } };
  return { line, cookie: line.split(';')[0] ?? '', data };
}

describe('opening', () => {
  test('of many browsers at once one gets it', async () => {
    const { configId, token } = await newLink();
    expect(await familyOf(configId)).toMatchObject({ link: 'new', opened_at: null, used_bytes: 0 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(browser(), token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)]);
    expect(answers.filter(({ status }) => status === 409).map(({ body }) => body.code)).toEqual(
      Array(7).fill('family_link_used'),
    );
    expect(await familyOf(configId)).toMatchObject({ link: 'opened', opened_at: clock.now().toISOString() });
  });

  test('looking does not use it up, nor does a preview that only gets addresses', async () => {
    const { token } = await newLink();
    for (let times = 0; times < 3; times += 1) expect((await look(browser(), token)).state).toBe('new');
    expect((await browser().call('GET', '/family/open')).status).toBe(404);
    expect((await browser().call('GET', `/family/open?token=${token}`)).status).toBe(404);
    expect((await open(browser(), token)).status).toBe(200);
  });

  test('the browser that opened it comes back for a day, also when the answer was lost; no other does', async () => {
    const { token } = await newLink();
    const [mother, other] = [browser(), browser()];
    // A browser that keeps no cookie is noticed before it uses the link up.
    expect(await look(mother, token)).toMatchObject({ state: 'new', remembered: false });
    expect(await look(mother, token)).toMatchObject({ state: 'new', remembered: true });
    const [first, second] = await Promise.all([open(mother, token), open(mother, token)]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(await look(mother, token)).toMatchObject({ state: 'open', guest_name: 'مادر', sender_name: 'نیلوفر' });
    expect(await look(other, token)).toMatchObject({ state: 'used', guest_name: '', sender_name: '' });
    clock.advance(limits.family.shownSeconds * 1000 - 1);
    expect((await open(mother, token)).status).toBe(200);
    clock.advance(1);
    expect((await open(mother, token)).body.code).toBe('family_link_used');
  });

  test('its time is over after a week; a new link takes the place of the old one', async () => {
    const { configId, token } = await newLink();
    clock.advance(limits.family.linkDays * DAY);
    await node.report([]);
    expect((await look(browser(), token)).state).toBe('expired');
    expect((await open(browser(), token)).body.code).toBe('family_link_expired');
    // The owner's session has ended as well, so without HTTP.
    const [config] = await listConfigs(world.deps, await getUser(world.deps.db, owner.id));
    expect(config?.family).toMatchObject({ link: 'expired' });
    const renewed = await shareConfig(world.deps, owner.id, configId, { ...share, guest_name: 'پدر' });
    expect((await open(browser(), token)).body.code).toBe('family_link_unknown');
    expect((await open(browser(), renewed)).body.data).toMatchObject({ guest_name: 'پدر' });
  });

  test('only the hash of the token is stored', async () => {
    const { token } = await newLink();
    const { rows } = await sql<{ row: string }>`SELECT f::text AS row FROM family_link f`.execute(world.deps.db);
    expect(rows.map(({ row }) => row).join()).not.toContain(token);
    expect(rows.map(({ row }) => row).join()).not.toContain(Buffer.from(token).toString('hex'));
  });
});

describe('the page', () => {
  test('has the file and the QR code, for this browser only, and nothing of its owner but the name written for it', async () => {
    const { configId, token } = await newLink();
    const { line, cookie, data } = await openRaw(token);
    expect(line).toMatch(/^family=[\w-]{43}; Max-Age=86400; Path=\/api\/v1\/family; HttpOnly;.*SameSite=Strict/);
    const conf = await file(data.id, cookie);
    expect(conf.text).toMatch(/^\[Interface\]\nPrivateKey = [\w+/]{43}=\n/);
    expect(conf.text).toBe(String(await owner.api.downloadConfig({ params: { id: configId }, query: {} })));
    expect((await file(data.id, cookie, 'qr')).type).toContain('image/svg+xml');
    const { user } = await owner.api.me();
    const config = (await owner.api.getConfig({ params: { id: configId } })).data.config;
    for (const sent of [JSON.stringify(data), conf.text])
      for (const secret of [user.id, user.email, user.fullName ?? '-', config.id, config.name])
        expect(sent).not.toContain(secret);
    expect((await file(data.id, '')).status).toBe(409);
    expect((await file(data.id, `family=${'x'.repeat(43)}`, 'qr')).status).toBe(409);
    expect((await file(configId, cookie)).status).toBe(404);
  });

  test('IKEv2: a profile for each system, under the guest’s name; no QR code', async () => {
    await node.serveIkev2();
    const config = await newConfig({ protocol: 'ikev2' });
    const shared = await owner.api.shareConfig({ params: { id: config.id }, body: share });
    const { cookie, data } = await openRaw(shared.data.token);
    const profile = await file(data.id, cookie, 'file?system=apple');
    expect(profile.type).toContain('application/x-apple-aspen-config');
    expect(profile.text).toContain('مادر');
    expect(profile.text).not.toContain(config.name);
    expect((await file(data.id, cookie, 'qr')).status).toBe(404);
  });

  test('says that the month’s bytes are used up; the owner sees it, gives more, and finds the guest on the statement', async () => {
    const { configId, token, shared } = await newLink();
    expect(shared.family).toMatchObject({ monthly_bytes: 1_000_000_000, used_bytes: 0 });
    const mother = browser();
    await open(mother, token);
    for (let down = -1; down < node.limitOf(configId); ) {
      down = node.limitOf(configId);
      await node.report([{ config: configId, down }]);
    }
    expect(node.limitOf(configId)).toBe(1_000_000_000);
    expect((await open(mother, token)).body.data).toMatchObject({ cap_reached: true });
    const { data } = await owner.api.getConfig({ params: { id: configId } });
    expect(data.config).toMatchObject({ service: 'cap_reached', family: { used_bytes: 1_000_000_000 } });
    const more = await owner.api.changeFamilyCap({ params: { id: configId }, body: { monthly_gb: 2 } });
    expect(more.data.config).toMatchObject({ service: 'ok', family: { monthly_bytes: 2_000_000_000 } });
    expect((await open(mother, token)).body.data).toMatchObject({ cap_reached: false, monthly_bytes: 2_000_000_000 });
    const { days } = (await owner.api.getStatement({ query: {} })).data;
    expect(days[0]?.configs.find(({ config_id: id }) => id === configId)).toMatchObject({ family: 'مادر' });
    await expect(
      owner.api.changeFamilyCap({ params: { id: (await newConfig()).id }, body: { monthly_gb: 2 } }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('the end', () => {
  test('its owner ends it: link and page are closed at once, the node drops the config', async () => {
    const [opened, waiting] = [await newLink(), await newLink()];
    const { cookie, data } = await openRaw(opened.token);
    for (const { configId } of [opened, waiting]) await owner.api.endFamily({ params: { id: configId } });
    expect((await file(data.id, cookie)).status).toBe(410);
    expect((await open(browser(), waiting.token)).body.code).toBe('family_ended');
    expect(await look(browser(), waiting.token)).toMatchObject({ state: 'ended', guest_name: '' });
    await node.settle();
    expect(node.removed).toEqual(expect.arrayContaining([opened.configId, waiting.configId]));
    await expect(owner.api.endFamily({ params: { id: opened.configId } })).rejects.toMatchObject({ code: 'not_found' });
  });

  test('ended and opened at once: whatever comes first, afterwards there is no file', async () => {
    const { configId, token } = await newLink();
    const [answer] = await Promise.all([openRaw(token), owner.api.endFamily({ params: { id: configId } })]);
    expect((await open(browser(), token)).body.code).toBe('family_ended');
    if (answer.data) expect((await file(answer.data.id, answer.cookie)).status).toBe(410);
  });

  test('deleting the config ends it as well, and another config is not touched by ending', async () => {
    const { configId, token } = await newLink();
    const own = await newConfig();
    await expect(owner.api.endFamily({ params: { id: own.id } })).rejects.toMatchObject({ code: 'not_found' });
    await owner.api.deleteConfig({ params: { id: configId } });
    expect((await look(browser(), token)).state).toBe('ended');
  });

  test('its owner’s account is suspended, or deleted with all names', async () => {
    const other = await withPassword(await world.user({ usdCents: 1_000 }));
    const { token } = await newLink({}, other);
    const mother = browser();
    await open(mother, token);
    await other.api.deleteAccount({ body: { password: PASSWORD } });
    expect((await open(mother, token)).body.code).toBe('family_link_unknown');
    const { rows } = await sql`SELECT FROM family_link WHERE user_id = ${other.id}`.execute(world.deps.db);
    expect(rows).toEqual([]);
    const third = await world.user({ usdCents: 1_000 });
    const link = await newLink({}, third);
    await suspendAccount(world.deps, { actor, email: third.email });
    expect((await open(browser(), link.token)).body.code).toBe('family_ended');
  });

  test('the server is retired: the sharing goes on with the replacement, and needs a new link', async () => {
    const { configId, token } = await newLink();
    const other = await enrolFakeNode(world);
    await retireNode(world.deps, { actor, nodeId: node.id, days: 7, movesTo: other.id });
    await leaveServers(world.deps);
    const { configs } = (await owner.api.listConfigs()).data;
    const moved = configs.find(({ server, family }) => server.id === other.id && family?.link === 'expired');
    expect(moved?.family).toMatchObject({ guest_name: 'مادر', monthly_bytes: 1_000_000_000 });
    expect(configs.find(({ id }) => id === configId)?.family).toBeNull();
    expect((await look(browser(), token)).state).toBe('expired');
    await activateNode(world.deps, { actor, nodeId: node.id });
  });
});

test('only its owner shares a config, and only one whose key can be shown', async () => {
  const { id } = await newConfig();
  const stranger = await world.user({ usdCents: 500 });
  await expect(stranger.api.shareConfig({ params: { id }, body: share })).rejects.toMatchObject({ code: 'not_found' });
  const { configId } = await newLink();
  await expect(stranger.api.endFamily({ params: { id: configId } })).rejects.toMatchObject({ code: 'not_found' });
  const own = await newConfig({ publicKey: `${'D'.repeat(42)}A=` });
  await expect(owner.api.shareConfig({ params: { id: own.id }, body: share })).rejects.toMatchObject({
    code: 'family_key_on_device',
  });
});
