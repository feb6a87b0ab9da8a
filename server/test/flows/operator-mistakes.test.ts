import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setOperatorRate } from '../../src/modules/currency/refresh-rate.ts';
import { findNodeByName } from '../../src/modules/fleet/operate-node.ts';
import { openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';

/** What an operator mistypes is said in one sentence, with exit code 1, and changes nothing. */
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
        PATH: process.env.PATH,
        DATABASE_URL: world.deps.databaseUrl,
        MASTER_KEY: TEST_MASTER_KEY,
        DATA_DIR: directory,
        ...more,
      },
    },
  );
  return { status, said: stdout, complained: stderr };
}

const refused = (sentence: string) => ({ status: 1, said: '', complained: `${sentence}\n` });

describe('rate set', () => {
  const outside =
    'One US dollar is between 20000 and 5000000 toman here (the settings rate.minToman and rate.maxToman).';
  const far = (toman: number, last: number) =>
    `${toman} toman is more than 10 % away from the last known rate, ${last} toman. If that is meant, say --force.`;

  test('takes no rate outside the band of the settings, forced or not', () => {
    for (const command of ['rate set --toman 9', 'rate set --toman 9 --force', 'rate set --toman 5000001'])
      expect([command, raha(command)]).toEqual([command, refused(outside)]);
  });

  test('takes a jump only when told so twice, whoever had set the rate before', async () => {
    const fixed = { USD_RATE_TOMAN: '95000' };
    expect(raha('rate set --toman 950000', fixed)).toEqual(refused(far(950_000, 95_000)));
    expect(raha('rate set --toman 104500', fixed)).toMatchObject({ status: 0, complained: '' });
    expect(raha('rate set --toman 1045000')).toEqual(refused(far(1_045_000, 104_500)));
    expect(raha('rate set --toman 1045000 --force')).toMatchObject({ status: 0, complained: '' });
    await setOperatorRate(world.deps, { tomanPerUsd: 100_000, hours: undefined });
    expect(raha('rate set --toman 89999')).toEqual(refused(far(89_999, 100_000)));
    expect(raha('rate set --toman 90000')).toMatchObject({ status: 0, complained: '' });
  });
});

describe('nodes', () => {
  const place = '--country DE --city Frankfurt';
  const address = '--address takes an IPv4 or IPv6 address, or a host name, without a port.';

  test.each([
    ['--address http://foo_bar', address],
    ['--port 0', '--port takes a whole number from 1 to 65535.'],
    ['--openvpn-port 65536', '--openvpn-port takes a whole number from 1 to 65535.'],
    ['--country D1', '--country takes two letters (ISO 3166), such as DE.'],
  ])('add %s is refused', (flags, sentence) => {
    expect(raha(`nodes add --name wrong ${place} ${flags}`)).toEqual(refused(sentence));
  });

  test('what can be dialled is kept as it is compared, in lower case', async () => {
    expect(raha(`nodes add --name right ${place} --address DE-1.Example`)).toMatchObject({ status: 0, complained: '' });
    expect((await findNodeByName(world.deps.db, 'right'))?.address).toBe('de-1.example');
  });
});
