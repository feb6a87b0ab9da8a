import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { countLeft, rotateKeys, sealEverythingAgain } from '../../src/app/key-rotation.ts';
import { followSealingKey, requireMasterKey } from '../../src/app/master-key.ts';
import { exportBatch } from '../../src/modules/gift-cards/export-batch.ts';
import { issueBatch } from '../../src/modules/gift-cards/issue-batch.ts';
import type { AccessClaims } from '../../src/modules/sessions/tokens.ts';
import { openDatabase } from '../../src/platform/database.ts';
import { splitKeys } from '../../src/platform/sealed.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { enrolFakeNode, type FakeNode } from '../fake-node.ts';
import { complete, givePassword } from '../passkeys.ts';
import {
  actor,
  openTestWorld,
  PASSWORD,
  TEST_MASTER_KEY,
  type TestUser,
  type TestWorld,
  withPassword,
} from '../world.ts';

/** Replacing the master key while the service is used, and killing the worker that seals again. */
const CONFIGS = 48;
const directory = mkdtempSync(join(tmpdir(), 'raha-keys-'));
const file = join(directory, 'master.key');
let database: TestDatabase;
/** The process before the new key. Afterwards only its fake node lives on. */
let before: TestWorld;
/** The process after it. */
let first: TestWorld;
const later: TestWorld[] = [];
let node: FakeNode;
let users: TestUser[];
let guest: TestUser;
let app: TOTP;
let batchId: string;
const files = new Map<string, string>();

/** The test drops the database itself, after the last process. */
const kept = (): TestDatabase => ({ ...database, drop: async () => undefined });

/** Another server process on the same database, started with the key file as it is now. */
async function startProcess(): Promise<TestWorld> {
  const world = await openTestWorld({
    database: kept(),
    keepSettings: true,
    masterKey: readFileSync(file, 'utf8'),
  });
  await requireMasterKey(world.deps.db, world.deps.vault, new Date());
  later.push(world);
  return world;
}

const rotate = (world: TestWorld, at = new Date()) =>
  rotateKeys(
    {
      ...world.deps,
      clock: { ...world.deps.clock, now: () => at },
      config: { ...world.deps.config, masterKeyFile: file },
    },
    actor,
  );

const download = async ({ api }: Pick<TestUser, 'api'>, id: string) => await api.downloadConfig({ params: { id } });

beforeAll(async () => {
  writeFileSync(file, `${TEST_MASTER_KEY}\n`);
  database = await createTestDatabase();
  before = await openTestWorld({ database: kept(), keepSettings: false });
  await requireMasterKey(before.deps.db, before.deps.vault, new Date());
  node = await enrolFakeNode(before);
  await node.serveOpenvpn();
  users = [await withPassword(await before.user()), await before.user(), await before.user()];
  guest = await before.user({ usdCents: 0 });
  for (let index = 0; index < CONFIGS; index += 1) {
    const owner = users[index % users.length] as TestUser;
    const protocol = index % 10 === 0 ? 'openvpn' : 'wireguard';
    const { data } = await owner.api.createConfig({ body: { name: `c${index}`, serverId: node.id, protocol } });
    files.set(data.config.id, await download(owner, data.config.id));
  }
  const { data } = await (users[0] as TestUser).api.startTotp({ body: { password: PASSWORD } });
  app = new TOTP({ secret: Secret.fromBase32(data.secret) });
  await (users[0] as TestUser).api.confirmTotp({ body: { code: app.generate() } });
  ({ batchId } = await issueBatch(before.deps, { actor, count: 3, usd: '5', keepForExport: true }));
});
afterAll(async () => {
  for (const world of [...later, before]) await world?.close();
  await database?.drop();
  rmSync(directory, { recursive: true, force: true });
});

describe('replacing the master key', () => {
  test('first a key is added to the file, and nothing is sealed with it yet', async () => {
    expect(await rotate(before)).toMatchObject({ step: 'added' });
    expect(splitKeys(readFileSync(file, 'utf8'))).toEqual([expect.any(String), TEST_MASTER_KEY]);
    const restarted = await startProcess();
    const { data } = await restarted
      .client((users[1] as TestUser).token)
      .createConfig({ body: { name: 'between', serverId: node.id } });
    // The process that does not know the new key reads what the restarted one wrote.
    expect(await download(users[1] as TestUser, data.config.id)).toContain('[Interface]');
    expect(await countLeft(restarted.deps)).toBe(0);
  });

  test('under load, with kills: no call fails, and everything ends under the new key', async () => {
    await before.deps.jobs.stop();
    first = await startProcess();
    const slow = later[0] as TestWorld;
    let over = false;
    const calls = { made: 0, failed: [] as unknown[] };
    const user = async (owner: TestUser, world: TestWorld) => {
      const api = world.client(owner.token);
      const ids = (await api.listConfigs({})).data.configs.map(({ id }) => id).filter((id) => files.has(id));
      for (let index = 0; !over; index += 1) {
        const id = ids[index % ids.length] as string;
        try {
          expect(await download({ api }, id)).toBe(files.get(id));
          const { data: created } = await api.createConfig({
            body: { name: `${world === slow} ${index}`, serverId: node.id },
          });
          expect(await download({ api }, created.config.id)).toContain('[Interface]');
          await api.deleteConfig({ params: { id: created.config.id } });
          calls.made += 4;
        } catch (error) {
          calls.failed.push(error);
        }
      }
    };
    expect(await rotate(first)).toMatchObject({ step: 'sealing' });
    const load = users.flatMap((owner) => [user(owner, first), user(owner, slow)]);
    // Each worker is killed in the middle of a batch: its connection ends, and the transaction with it.
    let kills = 0;
    for (let round = 0; round < 40; round += 1) {
      const db = openDatabase(database.url, { max: 1, onError: () => undefined });
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db);
      const pid = rows[0]?.pid ?? 0;
      const work = sealEverythingAgain({ db, vault: first.deps.vault }).catch(() => (kills += 1));
      if (round < 25) {
        await new Promise((done) => setTimeout(done, Math.random() * 15));
        await sql`SELECT pg_terminate_backend(${pid})`.execute(first.deps.db);
      }
      await work;
      await db.destroy();
      // The other process learns of the new key only now, and has sealed with the old one meanwhile.
      if (round === 30) await followSealingKey(slow.deps.db, slow.deps.vault);
    }
    over = true;
    await Promise.all(load);
    expect(calls.failed).toEqual([]);
    expect(calls.made).toBeGreaterThan(50);
    expect(kills).toBeGreaterThan(0);
    await sealEverythingAgain(first.deps);
    expect(await countLeft(first.deps)).toBe(0);
  });

  test('the old key stays while a process may still use it, and goes then', async () => {
    expect(await rotate(first)).toMatchObject({ step: 'waiting' });
    expect(await rotate(first, new Date(Date.now() + 6 * 3_600_000 + 61_000))).toMatchObject({
      step: 'finished',
      left: 0,
    });
    expect(splitKeys(readFileSync(file, 'utf8'))).toHaveLength(1);
  });

  test('with the new key alone: files, cards, codes and sessions of before are as they were', async () => {
    const alone = await startProcess();
    expect(alone.deps.vault.keys.ids).toHaveLength(1);
    const renewed = async ({ token }: TestUser) => {
      const claims = await first.deps.tokens.read(token);
      return await alone.deps.tokens.issue(claims as AccessClaims);
    };
    for (const owner of users) {
      const api = alone.client(await renewed(owner));
      const ids = (await api.listConfigs({})).data.configs.map(({ id }) => id).filter((id) => files.has(id));
      expect(ids.length).toBeGreaterThan(0);
      for (const id of ids) expect(await download({ api }, id)).toBe(files.get(id));
    }
    const codes: string[] = [];
    await exportBatch(alone.deps, { actor, batchId }, async (lines) => void codes.push(...lines));
    expect(codes).toHaveLength(3);
    await alone.client(await renewed(guest)).activateAccount({ body: { giftCardCode: codes[0] as string } });
    const browser = await givePassword(alone, users[0] as TestUser);
    // The code of the next half minute, because that of this one has been used.
    const code = app.generate({ timestamp: Date.now() + 30_000 });
    expect((await complete(browser, { totp: code })).status).toBe(200);
    const other = await openTestWorld({ database: kept(), keepSettings: true });
    later.push(other);
    await expect(requireMasterKey(other.deps.db, other.deps.vault, new Date())).rejects.toThrow(
      'The master key is not the one of this database',
    );
  });
});
