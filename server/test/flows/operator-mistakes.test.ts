import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setOperatorRate } from '../../src/modules/currency/set-operator-rate.ts';
import { addNode } from '../../src/modules/fleet/add-node.ts';
import { findNodeByName } from '../../src/modules/fleet/get-node.ts';
import { revokeNode } from '../../src/modules/fleet/revoke-node.ts';
import { listCardsOfBatch } from '../../src/modules/gift-cards/list-cards.ts';
import { inherited } from '../inherited.ts';
import { actor, openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';

/** An operator's typing mistake gets one sentence and exit code 1, and changes nothing. */
const directory = mkdtempSync(join(tmpdir(), 'raha-operator-'));
let world: TestWorld;

beforeAll(async () => {
  world = await openTestWorld();
});
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await world.proveLedger();
  await world.close();
});

function raha(command: string, more: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, '../../src/cli.ts'), ...command.split(' ').map((word) => word.replaceAll('_', ' '))],
    {
      encoding: 'utf8',
      env: {
        ...inherited,
        DATABASE_URL: world.deps.databaseUrl,
        MASTER_KEY: TEST_MASTER_KEY,
        DATA_DIR: directory,
        ...more,
      },
    },
  );
  return { status, stdout, stderr };
}

const refused = (sentence: string) => ({ status: 1, stdout: '', stderr: `${sentence}\n` });

describe('rate set', () => {
  const outside =
    'One US dollar is between 20000 and 5000000 toman here (the settings rate.minToman and rate.maxToman).';
  const far = (toman: number, last: number) =>
    `${toman} toman is more than 10 % away from the last known rate, ${last} toman. If that is meant, say --force.`;

  test('refuses a rate outside the band of the settings, with or without --force', () => {
    for (const command of ['rate set --toman 9', 'rate set --toman 9 --force', 'rate set --toman 5000001'])
      expect([command, raha(command)]).toEqual([command, refused(outside)]);
  });

  test('accepts a jump only with --force, wherever the earlier rate came from', async () => {
    const fixed = { USD_RATE_TOMAN: '95000' };
    expect(raha('rate set --toman 950000', fixed)).toEqual(refused(far(950_000, 95_000)));
    expect(raha('rate set --toman 104500', fixed)).toMatchObject({ status: 0, stderr: '' });
    expect(raha('rate set --toman 1045000')).toEqual(refused(far(1_045_000, 104_500)));
    expect(raha('rate set --toman 1045000 --force')).toMatchObject({ status: 0, stderr: '' });
    await setOperatorRate(world.deps, { actor, tomanPerUsd: 100_000, isForced: true });
    expect(raha('rate set --toman 89999')).toEqual(refused(far(89_999, 100_000)));
    expect(raha('rate set --toman 90000')).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('nodes', () => {
  const location = '--country DE --city Frankfurt';
  const address = '--address takes an IPv4 or IPv6 address, or a host name, without a port.';

  test.each([
    ['--address http://foo_bar', address],
    ['--port 0', '--port takes a whole number from 1 to 65535.'],
    ['--openvpn-port 65536', '--openvpn-port takes a whole number from 1 to 65535.'],
    ['--country D1', '--country takes two letters (ISO 3166), such as DE.'],
  ])('add %s is refused', (flags, sentence) => {
    expect(raha(`nodes add --name wrong ${location} ${flags}`)).toEqual(refused(sentence));
  });

  test('a host name is stored in lower case, as it is compared', async () => {
    expect(raha(`nodes add --name right ${location} --address DE-1.Example`)).toMatchObject({ status: 0, stderr: '' });
    const node = await findNodeByName(world.deps.db, 'right');
    expect(node?.address).toBe('de-1.example');
    const lines = readFileSync(join(directory, 'operator.log'), 'utf8').trim().split('\n');
    const { level: _level, time: _time, ...last } = JSON.parse(lines.at(-1) as string);
    expect(last).toMatchObject({ action: 'nodes.add', target_id: node?.id, msg: 'operator action' });
    expect(raha('audit list --action nodes.add').stdout).toContain(`node:${node?.id}`);
    expect(raha('audit check')).toMatchObject({ status: 0, stderr: '' });
  });

  test('no token is issued for a revoked node', async () => {
    const { nodeId } = await addNode(world.deps, { name: 'out', country: 'DE', city: 'Frankfurt' });
    await revokeNode(world.deps, { actor, nodeId: nodeId, movesTo: null });
    expect(raha('nodes token --name out')).toEqual(refused('"out" is revoked, for good. Add a new node.'));
    expect(raha('nodes token --name nowhere')).toEqual(refused('There is no node "nowhere".'));
  });
});

describe('gift cards', () => {
  const unknown = randomUUID();
  const cents = '--usd takes whole cents, from 0.01 to 10000.';
  const day = (flag: string) => `--${flag} takes a day such as 2027-03-20.`;

  test.each([
    [`gift-cards void --batch ${unknown}`, `There is no batch ${unknown}.`],
    [`gift-cards void --card ${unknown}`, `There is no card ${unknown}.`],
    [`gift-cards expire --batch ${unknown} --at now`, `There is no batch ${unknown}.`],
    [`gift-cards list --batch ${unknown}`, `There is no batch ${unknown}.`],
    ['gift-cards issue --count 1 --usd 5 --expires 2020-01-01', '--expires takes a day that is still to come.'],
    ['gift-cards issue --count 1 --usd 5 --expires 2027-02-31', day('expires')],
    [`gift-cards expire --batch ${unknown} --at 2027-02-31`, day('at')],
    ['gift-cards issue --count 1 --usd 0.001', cents],
    ['gift-cards issue --count 1 --usd 2.555', cents],
  ])('%s is refused', (command, sentence) => {
    expect(raha(command)).toEqual(refused(sentence));
  });

  test('nothing was issued by those commands; correct ones work', async () => {
    const { rows } = await sql`SELECT FROM gift_card`.execute(world.deps.db);
    expect(rows).toEqual([]);
    const { batchId } = JSON.parse(raha('gift-cards issue --count 2 --usd 2.55 --expires 2199-12-31 --json').stdout);
    expect(raha(`gift-cards expire --batch ${batchId} --at 2199-12-30`)).toMatchObject({ status: 0, stderr: '' });
    const [card] = await listCardsOfBatch(world.deps.db, batchId, new Date());
    expect(card?.face_usd_cents).toBe(255);
    expect(raha(`gift-cards void --card ${card?.id}`).stdout).toContain('1 cards are void');
    expect(raha(`gift-cards void --batch ${batchId}`).stdout).toContain('1 cards are void');
    expect(raha(`gift-cards void --batch ${batchId}`)).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('reports', () => {
  test.each([
    ['report takings --from 2026-02-31', '--from takes a day such as 2026-11-20.'],
    ['report usage --to 0000-01-01', '--to takes a day such as 2026-11-20.'],
    ['report refunds --from 2026-11-02 --to 2026-11-01', 'There is no day from 2026-11-02 to 2026-11-01.'],
  ])('%s is refused', (command, sentence) => {
    expect(raha(command)).toEqual(refused(sentence));
  });

  test('a period that ends before the default start is refused; a leap day is a day', () => {
    expect(raha('report nodes --to 2026-02-28').stderr).toMatch(/^There is no day from \S+ to 2026-02-28\.\n$/);
    expect(raha('report takings --from 2024-02-29 --to 2024-02-29')).toMatchObject({ status: 0, stderr: '' });
  });
});
