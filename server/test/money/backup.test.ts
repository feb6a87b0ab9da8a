import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBackup, restoreBackup, verifyBackup } from '../../src/app/backup.ts';
import { checkLedger } from '../../src/app/check-ledger.ts';
import { findHold } from '../../src/modules/payments/hold.ts';
import { createLog } from '../../src/platform/log.ts';
import { WrongPassphrase } from '../../src/platform/passphrase.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { actor, eventually, openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';
import { adjust, balancesOf, makeUser } from './bench.ts';
import { type OwnPostgres, openOwnPostgres } from './own-postgres.ts';

/**
 * T-B1: the embedded PostgreSQL is backed up while money moves, killed, and its disk lost. After the restore everything is there that
 * was acknowledged before the backup began, nothing is there by half, the key opens what is sealed, and payments are held.
 */
const dataDir = mkdtempSync(join(tmpdir(), 'raha-backup-test-'));
const cluster = join(dataDir, 'postgres');
const passphrase = 'a passphrase of this test';
let postgres: OwnPostgres;
let world: TestWorld;

beforeAll(async () => {
  chmodSync(dataDir, 0o711);
  mkdirSync(cluster);
  postgres = await openOwnPostgres(cluster);
  world = await openTestWorld({ database: postgres.database });
}, 180_000);
afterAll(async () => {
  try {
    if (postgres && !postgres.isUp) await postgres.startAgain();
    await world?.close();
  } finally {
    await postgres?.remove();
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('T-B1 backup, verification, lost disk, restore', { timeout: 180_000 }, async () => {
  const out = join(dataDir, 'backups');
  const user = await makeUser(world);
  await adjust(world, user.id, 1_000_000);
  const node = await enrolFakeNode(world);
  const { api } = await world.user();
  const newConfig = async () => {
    const body = { name: randomUUID(), serverId: node.id };
    return (await api.createConfig({ body })).data.config.id;
  };
  const early = await newConfig();
  await node.settle();
  const config = { ...world.deps.config, dataDir, databaseUrl: undefined, masterKey: TEST_MASTER_KEY };
  let isMade = false;
  let after = 1_000_000;
  const payer = (async () => {
    while (!isMade) {
      await adjust(world, user.id, 1_000);
      after += 1_000;
    }
  })();
  const { directory, manifest } = await createBackup({ ...world.deps, config }, { out, passphrase });
  isMade = true;
  await payer;
  // Written after the backup: lost with the disk.
  await adjust(world, user.id, 7);
  const late = await newConfig();
  await node.settle();
  expect([...node.peers.keys()]).toEqual([early, late]);

  expect(await verifyBackup(directory, passphrase, '')).toBeInstanceOf(Date);
  await expect(verifyBackup(directory, 'another passphrase', '')).rejects.toThrow(WrongPassphrase);

  process.kill(postgres.postmaster, 'SIGKILL');
  await postgres.loseDisk();
  const deps = { clock: world.deps.clock, log: createLog('silent'), actor };
  await restoreBackup(deps, { from: directory, to: dataDir, passphrase });
  expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toBe(TEST_MASTER_KEY);
  await postgres.startAgain();

  await eventually(async () => (await fetch(`${world.origin}/readyz/database`)).ok || undefined, 60_000);
  const [{ balance } = { balance: 0 }] = await balancesOf(world, [user]);
  expect(balance).toBeGreaterThanOrEqual(1_000_000);
  expect(balance).toBeLessThanOrEqual(after);
  expect((await checkLedger(world.deps.db)).violations).toEqual([]);
  expect(await findHold(world.deps.db)).toMatchObject({ from: new Date(manifest.madeAt) });
  await expect(restoreBackup(deps, { from: directory, to: dataDir, passphrase })).rejects.toThrow(/move it away/);
  // The generations of what is new pass the one that the node has applied of the lost time.
  await node.report([]);
  const later = [await newConfig(), await newConfig(), await newConfig()];
  expect((await node.sync()).kind).toBe('snapshot');
  expect([...node.peers.keys()]).toEqual([early, ...later]);
  expect((await node.sync()).kind).toBe('unchanged');
  await adjust(world, user.id, 1_000);
  await world.proveLedger();

  const relation = join(directory, 'cluster/global/pg_control');
  writeFileSync(relation, Buffer.concat([readFileSync(relation).subarray(1), Buffer.from([1])]));
  await expect(verifyBackup(directory, passphrase, '')).rejects.toThrow(/not as it was written/);
});
