import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KyselyPlugin } from 'kysely';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expireCards } from '../../src/modules/gift-cards/expire-cards.ts';
import { exportBatch } from '../../src/modules/gift-cards/export-batch.ts';
import { issueGiftCards } from '../../src/modules/gift-cards/issue-cards.ts';
import { listBatches } from '../../src/modules/gift-cards/list-cards.ts';
import { previewGiftCard, redeemGiftCard } from '../../src/modules/gift-cards/redeem-card.ts';
import { voidCards } from '../../src/modules/gift-cards/void-cards.ts';
import { addDays } from '../../src/platform/clock.ts';
import { inherited } from '../inherited.ts';
import { actor, openTestWorld, type TestUser, type TestWorld } from '../world.ts';

/** Gift cards: races for one code, guessing, batches, and what the operator does with them. */
const MANY = 100;
/** Number of codes raced for; the long run does two hundred of each kind, 40,000 attempts. */
const CODES = Number(process.env.GIFT_RACES ?? 2);
let world: TestWorld;
let people: TestUser[];

beforeAll(async () => {
  world = await openTestWorld();
  people = [];
  for (let index = 0; index < MANY; index += 1) people.push(await world.user({ usdCents: 0 }));
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

/** Clears the attempts of earlier rounds, so that every round is a fresh race. */
async function forgetTries() {
  await sql`DELETE FROM failed_redemption`.execute(world.deps.db);
}

async function race(calls: (() => Promise<unknown>)[]) {
  const outcomes = await Promise.allSettled(calls.map((call) => call()));
  const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  return { won: outcomes.length - lost.length, lost };
}

function asAnswer(reason: { code: string; status: number; message: string }) {
  return { code: reason.code, status: reason.status, message: reason.message };
}

const generic = { code: 'gift_card_invalid', status: 404, message: 'کد گیفت کارت یافت نشد.' };

describe('T-V1 gift race', () => {
  test('a hundred users, one code: one success, 99 times the same error', async () => {
    for (let round = 0; round < CODES; round += 1) {
      await forgetTries();
      const gift_card_code = await world.giftCard(100);
      const { won, lost } = await race(
        people.map((user) => () => user.api.processGiftCard({ body: { gift_card_code } })),
      );
      expect(won).toBe(1);
      expect(lost.map(asAnswer)).toEqual(Array.from({ length: MANY - 1 }, () => generic));
    }
    await world.proveLedger();
  });

  test('one user, a hundred connections: one success, 99 times the same error, and no failure counted against the user', async () => {
    const user = await world.user({ usdCents: 0 });
    for (let round = 0; round < CODES; round += 1) {
      const before = (await user.api.getWallet()).data.balance;
      const gift_card_code = await world.giftCard(100);
      const { won, lost } = await race(
        Array.from({ length: MANY }, () => () => user.api.processGiftCard({ body: { gift_card_code } })),
      );
      expect(won).toBe(1);
      expect(lost.map(asAnswer)).toEqual(Array.from({ length: MANY - 1 }, () => generic));
      expect((await user.api.getWallet()).data.balance).toBe(before + 80_000);
    }
    await world.proveLedger();
  });

  test('a card voided while it is redeemed ends up as one or the other', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { batchId, codes } = await issueGiftCards(world.deps, { count: 1, usdCents: 100 });
      const user = people[round] as TestUser;
      const [redeemed, voided] = await Promise.allSettled([
        user.api.processGiftCard({ body: { gift_card_code: codes[0] as string } }),
        voidCards(world.deps, { actor, which: { batchId } }),
      ]);
      expect(voided).toEqual({ status: 'fulfilled', value: redeemed.status === 'fulfilled' ? 0 : 1 });
    }
    await world.proveLedger();
  });
});

describe('T-V2 guessing', () => {
  test('of a hundred simultaneous guesses ten count; then even the right code waits an hour, through every call', async () => {
    const user = await world.user({ usdCents: 0 });
    const good = await world.giftCard(100);
    const guess = (index: number) => `${String(1000 + index)}-AAAA-BBBB-CCCC`;
    const calls = [
      (code: string) => user.api.processGiftCard({ body: { gift_card_code: code } }),
      (code: string) => user.api.verifyGiftCard({ body: { gift_card_code: code } }),
      (code: string) => user.api.activateAccount({ body: { giftCardCode: code } }),
    ];
    const { won, lost } = await race(
      Array.from({ length: MANY }, (_, index) => () => (calls[index % 3] as (typeof calls)[0])(guess(index))),
    );
    expect(won).toBe(0);
    const codes = lost.map((reason: { code: string }) => reason.code);
    expect(codes.filter((code) => code === 'gift_card_invalid')).toHaveLength(10);
    expect(codes.filter((code) => code === 'gift_card_throttled')).toHaveLength(MANY - 10);
    for (const call of calls) {
      await expect(call(good)).rejects.toMatchObject({ code: 'gift_card_throttled', retryAfterSeconds: 3600 });
    }
    await sql`UPDATE failed_redemption SET at = at - interval '1 hour' WHERE user_id = ${user.id}`.execute(
      world.deps.db,
    );
    expect((await user.api.processGiftCard({ body: { gift_card_code: good } })).data.amount).toBe(80_000);
  });

  test('unknown, mistyped, used, void and expired codes: one body, and the same SQL statements behind it', async () => {
    const { deps } = world;
    const now = deps.clock.now();
    const owner = people[0] as TestUser;
    const asker = await world.user({ usdCents: 0 });
    const used = await world.giftCard(100);
    await owner.api.processGiftCard({ body: { gift_card_code: used } });
    const voided = await issueGiftCards(deps, { count: 1, usdCents: 100 });
    await voidCards(deps, { actor, which: { batchId: voided.batchId } });
    const expired = await issueGiftCards(deps, { count: 1, usdCents: 100, expiresAt: addDays(now, -1) });
    const codes = ['7K3M-9QXW-2R5T-8VB3', '7K3M-9QXW-2R5T-8VB4', used, voided.codes[0], expired.codes[0]] as string[];
    const seen: { bodies: string[]; statements: string[][] } = { bodies: [], statements: [] };
    for (const code of codes) {
      for (const path of ['/giftcards/process', '/giftcards/verify']) {
        const response = await fetch(`${world.origin}/api/v1${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${asker.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ gift_card_code: code }),
        });
        const body = (await response.json()) as Record<string, unknown>;
        seen.bodies.push(JSON.stringify({ ...body, request_id: 0, status: response.status }));
        await forgetTries();
      }
      seen.statements.push(await statementsOf((db) => redeemGiftCard({ ...deps, db }, { userId: asker.id, code })));
      seen.statements.push(await statementsOf((db) => previewGiftCard({ ...deps, db }, { userId: asker.id, code })));
      await forgetTries();
    }
    expect(new Set(seen.bodies).size).toBe(1);
    const [redeeming, previewing] = seen.statements;
    expect(redeeming?.length).toBeGreaterThan(3);
    expect(seen.statements).toEqual(codes.flatMap(() => [redeeming, previewing]));
  });
});

/**
 * The statements of a refused call, in order: they take the time that an attacker could measure. Without the reading of the exchange rate, which
 * a process keeps for a while: it comes before the code is looked at, and for whichever is asked when that while is over.
 */
async function statementsOf(call: (db: TestWorld['deps']['db']) => Promise<unknown>): Promise<string[]> {
  const statements: string[] = [];
  const spy: KyselyPlugin = {
    transformQuery({ node }) {
      const statement = JSON.stringify('sqlFragments' in node ? node.sqlFragments : node.kind);
      if (!statement.includes('FROM exchange_rate')) statements.push(statement);
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await expect(call(world.deps.db.withPlugin(spy))).rejects.toMatchObject({ code: 'gift_card_invalid' });
  return statements;
}

describe('a user’s redeemed cards', () => {
  test('are listed newest first, with hidden codes, and only to their user', async () => {
    const user = await world.user({ usdCents: 100 });
    const second = await world.giftCard(250);
    await user.api.processGiftCard({ body: { gift_card_code: second } });
    const { data } = await user.api.listGiftCards({ query: {} });
    expect(data.pagination).toEqual({ page: 1, total_pages: 1, total: 2 });
    expect(data.gift_cards[0]).toMatchObject({
      code: `••••-••••-••••-${second.slice(-4)}`,
      amount: 200_000,
      usd_cents: 250,
      rate: 80_000,
      status: 'used',
    });
    expect((await user.api.listGiftCards({ query: { page: 2, per_page: 1 } })).data.gift_cards[0]?.amount).toBe(80_000);
    const other = await world.user({ usdCents: 0 });
    expect((await other.api.listGiftCards({ query: {} })).data.gift_cards).toEqual([]);
    const alias = await fetch(`${world.origin}/api/v1/user/gift-cards`, {
      headers: { authorization: `Bearer ${user.token}` },
    });
    expect(((await alias.json()) as typeof data & { data: typeof data }).data).toEqual(data);
  });
});

describe('batches', () => {
  test('a card expires when the operator says so, even if it was issued for longer', async () => {
    const { batchId, codes } = await issueGiftCards(world.deps, { count: 2, usdCents: 100 });
    const user = await world.user({ usdCents: 0 });
    const now = world.deps.clock.now();
    expect(await expireCards(world.deps, { actor, batchId, at: addDays(now, -1) })).toBe(2);
    const body = { gift_card_code: codes[0] as string };
    await expect(user.api.processGiftCard({ body })).rejects.toMatchObject({ code: 'gift_card_invalid' });
    expect(await expireCards(world.deps, { actor, batchId, at: addDays(now, 1) })).toBe(2);
    await user.api.processGiftCard({ body });
    const batch = (await listBatches(world.deps.db, now)).find(({ id }) => id === batchId);
    expect(batch).toMatchObject({
      cards: 2n,
      active: 1n,
      redeemed: 1n,
      void: 0n,
      expired: 0n,
      credited_toman: 80_000n,
    });
  });

  test('codes are exported once, even by simultaneous exports, and stay when writing fails', async () => {
    const { batchId, codes } = await issueGiftCards(world.deps, { count: 3, usdCents: 100, keepForExport: true });
    const run = (write: (given: readonly string[]) => Promise<void>) =>
      exportBatch(world.deps, { actor, batchId }, write);
    await expect(run(() => Promise.reject(new Error('the disk is full')))).rejects.toThrow('the disk is full');
    const written: (readonly string[])[] = [];
    const { won, lost } = await race(
      Array.from({ length: 5 }, () => () => run(async (given) => void written.push(given))),
    );
    expect(won).toBe(1);
    for (const reason of lost) expect(reason).toMatchObject({ name: 'OperatorMistake', kind: 'conflict' });
    expect(written).toEqual([codes]);
    const kept = await sql`SELECT id FROM gift_card_batch WHERE codes_sealed IS NOT NULL AND id = ${batchId}`.execute(
      world.deps.db,
    );
    expect(kept.rows).toEqual([]);
  });
});

describe('the command line', () => {
  const directory = mkdtempSync(join(tmpdir(), 'raha-cards-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  function raha(args: string[], input = '', expected = 0): string {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(import.meta.dirname, '../../src/cli.ts'), ...args],
      {
        input,
        encoding: 'utf8',
        env: {
          ...inherited,
          DATABASE_URL: world.deps.databaseUrl,
          MASTER_KEY: 'a master key for tests, of no other use',
          DATA_DIR: directory,
        },
      },
    );
    expect({ status, stderr: expected === 0 ? stderr : '' }).toEqual({ status: expected, stderr: '' });
    return expected === 0 ? stdout : stderr;
  }

  // Eleven processes, one after the other: a busy machine takes its time.
  test('issue sealed → export → decrypt → redeem; list, void, and no second export', { timeout: 240_000 }, async () => {
    const issued = JSON.parse(
      raha(['gift-cards', 'issue', '--count', '3', '--usd', '2.5', '--note', 'نوروز', '--sealed', '--json']),
    ) as { batchId: string; codes?: string[] };
    expect(issued.codes).toBeUndefined();
    const file = join(directory, 'cards.raha');
    const secret = join(directory, 'passphrase');
    writeFileSync(secret, 'کبوتر سفید بر بام\n');
    const exporting = ['gift-cards', 'export', '--batch', issued.batchId, '--out', file];
    expect(raha([...exporting], 'short\n', 1)).toContain('at least 12 characters');
    raha([...exporting, '--passphrase-file', secret]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(raha(['gift-cards', 'decrypt', '--file', file], 'another passphrase\n', 1)).toContain('wrong');
    const codes = raha(['gift-cards', 'decrypt', '--file', file], 'کبوتر سفید بر بام\n').trim().split('\n');
    expect(codes).toHaveLength(3);
    for (const code of codes) expect(readFileSync(file, 'utf8')).not.toContain(code);
    const second = join(directory, 'second.raha');
    expect(raha([...exporting.slice(0, -1), second, '--passphrase-file', secret], '', 1)).toContain('already');
    expect(existsSync(second)).toBe(false);

    const user = await world.user({ usdCents: 0 });
    await user.api.processGiftCard({ body: { gift_card_code: codes[0] as string } });
    expect(raha(['gift-cards', 'void', '--batch', issued.batchId])).toContain('2 cards');
    const [head, ...rows] = raha(['gift-cards', 'list', '--batch', issued.batchId, '--csv']).trim().split('\n');
    expect(head).toBe('card,last4,status,usd_cents,expires_at,redeemed_at,credited_toman');
    expect(rows.map((row) => row.split(',')[2]).sort()).toEqual(['redeemed', 'void', 'void']);
    expect(raha(['gift-cards', 'list'])).toContain('نوروز');
    await expect(user.api.processGiftCard({ body: { gift_card_code: codes[1] as string } })).rejects.toMatchObject({
      code: 'gift_card_invalid',
    });
  });

  test('an export file with one changed byte is refused', () => {
    const file = join(directory, 'cards.raha');
    const sealed = JSON.parse(readFileSync(file, 'utf8')) as { data: string };
    const bytes = Buffer.from(sealed.data, 'base64');
    bytes[3] = (bytes[3] ?? 0) ^ 1;
    writeFileSync(file, JSON.stringify({ ...sealed, data: bytes.toString('base64') }));
    expect(raha(['gift-cards', 'decrypt', '--file', file], 'کبوتر سفید بر بام\n', 1)).toContain('wrong');
  });
});
