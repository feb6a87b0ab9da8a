import { randomInt, randomUUID } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../server/src/app/migrate.ts';
import { house } from '../server/src/modules/ledger/house.ts';
import { postTransfer, type TransferKind } from '../server/src/modules/ledger/post-transfer.ts';
import { getUserAccounts, openUserAccounts } from '../server/src/modules/ledger/user-accounts.ts';
import { type Database, inTransaction, openDatabase } from '../server/src/platform/database.ts';
import { CLIENTS, type Pgbench } from './pgbench.ts';
import { type Figure, medianFigure, rateOf, ratioFigure, type Say } from './run.ts';

const PEOPLE = 1_000;
const SECONDS = 5;
const ROUNDS = 5;

/**
 * (c) Ledger transfers per second, compared with TPC-B on the same server: of usage, the kind that nearly all are, between random
 * accounts; the same with the product's single revenue account on one side of every transfer; and between users, where each
 * side gets a line in its wallet. All alternate.
 */
export async function measureTransfers(clusterUrl: string, pgbench: Pgbench, say: Say): Promise<Figure[]> {
  const url = await freshDatabase(clusterUrl, 'bench_ledger');
  await migrate(url);
  const db = openDatabase(url, { max: CLIENTS });
  try {
    const wallets = await openWallets(db);
    const someone = () => wallets[randomInt(wallets.length)]!;
    const random = () => rateOf(CLIENTS, SECONDS, () => transfer(db, someone(), someoneElse(wallets)));
    const hot = () => rateOf(CLIENTS, SECONDS, () => transfer(db, someone(), house.usageRevenue));
    const listed = () => rateOf(CLIENTS, SECONDS, () => transfer(db, someone(), someoneElse(wallets), 1n, 'transfer'));
    const runs = { tpcb: [] as number[], random: [] as number[], hot: [] as number[], listed: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      runs.tpcb.push(await pgbench.run(SECONDS));
      runs.random.push(await random());
      runs.hot.push(await hot());
      runs.listed.push(await listed());
      const [t, r, h, l] = Object.values(runs).map((values) => values.at(-1)?.toFixed(0));
      say(
        `  round ${round + 1}: TPC-B ${t}/s, transfers ${r}/s, with one house account ${h}/s, listed in wallets ${l}/s`,
      );
    }
    return [
      medianFigure('c', 'TPC-B (pgbench)', 'tx/s', runs.tpcb),
      medianFigure('c', 'transfers of usage', 'tx/s', runs.random),
      medianFigure('c', 'transfers with one hot house account', 'tx/s', runs.hot),
      medianFigure('c', 'transfers that wallets list', 'tx/s', runs.listed),
      ratioFigure('c', 'transfers of usage to TPC-B', runs.random, runs.tpcb, { atLeast: 0.5 }),
      ratioFigure('c', 'hot house account to random accounts', runs.hot, runs.random, { atLeast: 0.9 }),
      ratioFigure('c', 'transfers that wallets list to TPC-B', runs.listed, runs.tpcb),
    ];
  } finally {
    await db.destroy();
  }
}

export async function freshDatabase(clusterUrl: string, name: string): Promise<string> {
  const client = new pg.Client(clusterUrl);
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** A cluster of this machine that answers at a Unix socket as well. */
export interface Cluster {
  readonly url: string;
  readonly socketDirectory: string;
}

/** The same, at the address of the socket. */
export async function freshDatabaseBySocket({ url, socketDirectory }: Cluster, name: string): Promise<string> {
  const { username, password, port } = new URL(await freshDatabase(url, name));
  return `postgres:///${name}?host=${socketDirectory}&port=${port}&user=${username}&password=${password}`;
}

async function openWallets(db: Database): Promise<string[]> {
  const now = new Date();
  const people = Array.from({ length: PEOPLE }, () => randomUUID());
  await inTransaction(db, async (tx) => {
    for (const user of people) await openUserAccounts(tx, user, now);
  });
  const wallets = await Promise.all(people.map(async (user) => (await getUserAccounts(db, user)).walletId));
  for (const wallet of wallets) await transfer(db, house.adjustment, wallet, 1_000_000_000n, 'adjustment');
  return wallets;
}

async function transfer(
  db: Database,
  from: string,
  to: string,
  amount = 1n,
  kind: TransferKind = 'usage',
): Promise<number> {
  if (from === to) return 0;
  const movements = [
    { accountId: from, amountToman: -amount },
    { accountId: to, amountToman: amount },
  ];
  const cause = { kind, sourceType: 'bench', sourceId: randomUUID(), purpose: 'bench' } as const;
  await postTransfer(db, { ...cause, movements }, new Date());
  return 1;
}

function someoneElse(wallets: readonly string[]): string {
  return wallets[randomInt(wallets.length)]!;
}
