import { limits } from '@raha/contract/limits.ts';
import { sql } from 'kysely';
import pg from 'pg';
import { migrate } from '../server/src/app/migrate.ts';
import { enrolFakeNode, type FakeNode } from '../server/test/fake-node.ts';
import { type Belongings, openBelongings } from '../server/test/flows/every-request.ts';
import { insertPopulation } from '../server/test/scale/people.ts';
import { openTestWorld, PASSWORD, type TestUser, type TestWorld, unlimited } from '../server/test/world.ts';
import type { Say } from './run.ts';
import { freshDatabase } from './transfers.ts';

const NODES = 20;
const HOURS = 48;
const OLD = 3;
const LANES = 2;
const BOOKED = 2 * limits.metering.bookingsPerRun * limits.metering.configsPerBooking;

/** A world of many people, one of whom sends what is measured. Its database has one connection, so that PostgreSQL's counts are its own. */
export interface People {
  readonly size: number;
  readonly world: TestWorld;
  /** Signed in anew, with a config on `node`. */
  readonly has: () => Promise<Belongings>;
  readonly node: FakeNode;
  /** When its people were written: usage was booked in the minutes before. */
  readonly writtenAt: Date;
  readonly close: () => Promise<void>;
}

/** What a written database says of itself, as its comment. Without one its writing was not finished. */
interface Written {
  readonly now: string;
  readonly email: string;
}

/**
 * A database with `size` people. `keeps`: what was written stays as it is under a name of its own, and what is measured is a copy, so that
 * the next run need not write it. Migrations that came since then run on the copy.
 */
export async function openPeople(clusterUrl: string, size: number, keeps: boolean, say: Say): Promise<People> {
  const name = `bench_people_${size}`;
  const kept = keeps ? `people_${size}` : name;
  let written = keeps ? await readWritten(clusterUrl, kept) : undefined;
  if (!written) {
    written = await write(await freshDatabase(clusterUrl, kept), size, say);
    await inCluster(clusterUrl, `COMMENT ON DATABASE ${kept} IS '${JSON.stringify(written)}'`);
  }
  if (keeps) {
    await inCluster(clusterUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await inCluster(clusterUrl, `CREATE DATABASE ${name} TEMPLATE ${kept} STRATEGY FILE_COPY`);
  }
  return await open(urlOf(clusterUrl, name), size, written);
}

async function readWritten(clusterUrl: string, name: string): Promise<Written | undefined> {
  const text = `SELECT shobj_description(oid, 'pg_database') AS comment FROM pg_database WHERE datname = '${name}'`;
  const comment = (await inCluster(clusterUrl, text))[0]?.comment;
  return comment ? JSON.parse(comment) : undefined;
}

async function inCluster(clusterUrl: string, text: string): Promise<Record<string, string | null>[]> {
  const client = new pg.Client(clusterUrl);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function urlOf(clusterUrl: string, name: string): string {
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function write(url: string, size: number, say: Say): Promise<Written> {
  await migrate(url);
  const world = await openTestWorld({
    database: { url, drop: async () => undefined },
    connections: LANES + 2,
    overrides: { minuteLimit: unlimited },
  });
  try {
    const { owner } = await openBelongings(world);
    const old: TestUser[] = [];
    for (let count = 0; count < OLD; count += 1) old.push(await world.user({ usdCents: 50_000 }));
    const nodes: FakeNode[] = [];
    for (let count = 0; count < NODES; count += 1) nodes.push(await enrolFakeNode(world));
    const now = world.deps.clock.now();
    const begin = performance.now();
    await insertPopulation(world.deps.db, {
      count: size,
      nodeIds: nodes.map(({ id }) => id),
      modelId: (old[0] as TestUser).id,
      oldIds: old.map(({ id }) => id),
      payerIds: [owner.id],
      now,
      hours: HOURS,
      // What the schedule books in two minutes, which is the time of a minute's proof; less if fewer use traffic.
      bookedNow: Math.min(BOOKED, Math.round(size / 60)),
      lanes: LANES,
    });
    // As autovacuum leaves tables that nobody has written to for a while.
    await sql`VACUUM ANALYZE`.execute(world.deps.db);
    const { rows } = await sql<{ bytes: bigint; entries: bigint }>`
      SELECT pg_database_size(current_database()) AS bytes, (SELECT reltuples::bigint FROM pg_class WHERE oid = 'ledger_entry'::regclass) AS entries
    `.execute(world.deps.db);
    const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
    say(
      `  ${size} people written in ${seconds} s, ${Number(rows[0]?.bytes) / 2 ** 20} MiB, ${rows[0]?.entries} entries`,
    );
    return { now: now.toISOString(), email: owner.email };
  } finally {
    await world.close();
  }
}

async function open(url: string, size: number, { now, email }: Written): Promise<People> {
  await migrate(url);
  const world = await openTestWorld({
    database: { url, drop: async () => undefined },
    connections: 1,
    keepSettings: true,
    overrides: { minuteLimit: unlimited },
  });
  const { db, clock } = world.deps;
  const stay = () =>
    sql`UPDATE node_presence SET seen_at = greatest(seen_at, ${clock.now()})`.execute(db).catch(() => undefined);
  await stay();
  const presence = setInterval(() => void stay(), 15_000);
  const node = await enrolFakeNode(world, { name: 'measured' });
  const signIn = async (): Promise<TestUser> => {
    const { token, user } = await world.client().login({ body: { email, password: PASSWORD } });
    if (!token || !user) throw new Error('The owner of what is measured could not sign in.');
    return { id: user.id, email, token, api: world.client(token) };
  };
  let owner = await signIn();
  const { data } = await owner.api.createConfig({
    body: { name: 'measured', serverId: node.id, protocol: 'wireguard', keepKey: true },
  });
  await node.settle();
  return {
    size,
    world,
    has: async () => {
      owner = await signIn();
      return { world, owner, serverId: node.id, configId: data.config.id };
    },
    node,
    writtenAt: new Date(now),
    close: async () => {
      clearInterval(presence);
      await world.close();
    },
  };
}
