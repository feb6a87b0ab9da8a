import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { setSettingByKey } from '../server/src/app/all-settings.ts';
import { type Block, measureBlocks, type Spent } from './blocks.ts';
import { MASTER_KEY, openProduct, signUp } from './charges.ts';
import { readProcessors, spentMs } from './processor-time.ts';
import { addConfigs, credit } from './purchases.ts';
import type { Figure, Say } from './run.ts';
import { type Cluster, freshDatabaseBySocket } from './transfers.ts';

const DATABASE = 'bench_calls';
const ROUNDS = 60;
/** Until the first that counts, which makes thousands of each call: an engine makes a call fast only once it has been made often. */
const WARMING = 30;
/** Sign-ins before, because they come by in the smallest blocks: their JavaScript takes 3.3 ms at first, and 2.4 ms after 800 of them. */
const FIRST_SIGN_INS = 1_500;
/** People who sign in, in turns: of one alone, each would wait for the row that another one holds. */
const PEOPLE = 8;
const AT_A_TIME = 4;
const PASSWORD = 'Correct-horse-7';

export interface Server {
  readonly process: ChildProcess;
  readonly origin: string;
  readonly hello: string;
}

/**
 * (k) Processor time per call, of the server and of its PostgreSQL backends together, from the scheduler's statistics, against a
 * bare hello of the same process and against bare argon2; the same spread over two servers. In blocks, as `measureBlocks` says. The
 * connections to the database stay open, as in an installation at work: no block is longer away than an idle one lives.
 */
export async function measureCalls(cluster: Cluster, say: Say): Promise<Figure[]> {
  const databaseUrl = await freshDatabaseBySocket(cluster, DATABASE);
  const { token, emails } = await preparePeople(databaseUrl);
  const servers = [await startServer(databaseUrl), await startServer(databaseUrl)] as const;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  const [one, two] = servers;
  try {
    const get = (origin: string, path: string) => () =>
      send(agent, `${origin}/api/v1${path}`, { authorization: `Bearer ${token}` });
    const bare = (origin: string) => () => send(agent, `${origin}/hello`, {});
    const login = inTurns(...(await Promise.all(emails.map((email) => loginOf(agent, one.origin, email)))));
    await repeat(FIRST_SIGN_INS, login);
    const both = inTurns(get(one.origin, '/user/dashboard'), get(two.origin, '/user/dashboard'));
    const hello = block('hello', [one], 400, bare(one.hello));
    const helloOfTwo = block('hello, two servers', servers, 400, inTurns(bare(one.hello), bare(two.hello)));
    const argon2 = block('argon2', [one], 8);
    const me = block('me', [one], 100, get(one.origin, '/auth/me'));
    const configs = block('configs', [one], 40, get(one.origin, '/user/configs'));
    const dashboard = block('dashboard', [one], 30, get(one.origin, '/user/dashboard'));
    const dashboardOfTwo = block('dashboard, two servers', servers, 30, both);
    const signIn = block('sign-in', [one], 8, login);
    return await measureBlocks(
      'k',
      [
        { what: '/auth/me to a bare hello', ours: [me], yardsticks: [hello], aim: { atMost: 8 } },
        { what: 'list of configs to a bare hello', ours: [configs], yardsticks: [hello] },
        { what: 'dashboard to a bare hello', ours: [dashboard], yardsticks: [hello], aim: { atMost: 25 } },
        { what: 'sign-in with a password to bare argon2', ours: [signIn], yardsticks: [argon2], aim: { atMost: 1.3 } },
        {
          // Two servers keep both processors busy, and then a bare hello costs more, too.
          what: 'dashboard with two servers to one, each to a bare hello',
          ours: [dashboardOfTwo, hello],
          yardsticks: [helloOfTwo, dashboard],
          aim: { atMost: 1.1 },
        },
      ],
      { rounds: ROUNDS, warming: WARMING },
      say,
    );
  } finally {
    agent.destroy();
    for (const { process } of servers) {
      process.disconnect();
      await once(process, 'exit');
    }
  }

  function block(name: string, by: readonly Server[], calls: number, work?: () => Promise<unknown>): Block {
    const run = (count: number) => (work ? repeat(count, work) : verify(one, count));
    const measure = async () => {
      // The block before has pushed out of the caches what this one needs. The calls that bring it back do not count.
      await run(calls);
      return await processorMs(cluster.url, by, calls, () => run(calls));
    };
    return { name, measure };
  }
}

/** People with a password; the first has money and two configs on two of five nodes. */
async function preparePeople(databaseUrl: string) {
  const product = await openProduct(databaseUrl);
  try {
    await setSettingByKey(product.deps.db, 'trial.passwordlessDays', '0', product.deps.clock.now());
    const people = [];
    for (let index = 0; index < PEOPLE; index += 1) people.push(await signUp(product, index));
    for (const { api } of people)
      await api.changePassword({ body: { password: PASSWORD, password_confirmation: PASSWORD } });
    const { user, token } = people[0] as (typeof people)[number];
    await credit(product, user.id);
    await addConfigs(product, user.id, { nodes: 5, configs: 2 });
    return { token: token(), emails: people.map(({ email }) => email) };
  } finally {
    await product.close();
  }
}

export async function startServer(databaseUrl: string): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'call-server.ts'), [databaseUrl, MASTER_KEY]);
  const [addresses] = (await once(child, 'message')) as [{ origin: string; hello: string }];
  return { process: child, ...addresses };
}

async function verify({ process }: Server, verifications: number): Promise<void> {
  process.send({ verifications, atATime: AT_A_TIME });
  await once(process, 'message');
}

/** A sign-in by a browser that the account knows. */
async function loginOf(agent: Agent, origin: string, email: string): Promise<() => Promise<OutgoingHttpHeaders>> {
  const url = `${origin}/api/v1/auth/login`;
  const body = JSON.stringify({ email, password: PASSWORD, remember_me: false });
  const first = await send(agent, url, {}, body);
  const cookies = [first['set-cookie'] ?? []].flat().map((line) => String(line).split(';')[0]);
  const cookie = cookies.find((line) => line?.startsWith('device='));
  if (!cookie) throw new Error('The sign-in gave no cookie for the device.');
  return () => send(agent, url, { cookie }, body);
}

function inTurns(...works: readonly (() => Promise<unknown>)[]): () => Promise<unknown> {
  let turn = 0;
  return () => {
    turn += 1;
    return (works[turn % works.length] as () => Promise<unknown>)();
  };
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  let left = times;
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, loop));
}

async function send(
  agent: Agent,
  url: string,
  headers: OutgoingHttpHeaders,
  body?: string,
): Promise<OutgoingHttpHeaders> {
  return await new Promise((resolve, reject) => {
    const type =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(
      url,
      { agent, method: body === undefined ? 'GET' : 'POST', headers: { ...headers, ...type } },
      (response) => {
        response.resume().on('end', () => {
          if (response.statusCode === 200) resolve(response.headers);
          else reject(new Error(`${url} answered ${response.statusCode}`));
        });
      },
    );
    sent.on('error', reject).end(body);
  });
}

/** Milliseconds of processor time per call, of the servers and of the backends of their database. */
async function processorMs(
  clusterUrl: string,
  servers: readonly Server[],
  calls: number,
  work: () => Promise<unknown>,
): Promise<Spent> {
  const pids = servers.map(({ process }) => process.pid as number);
  const before = readProcessors(clusterUrl, DATABASE, pids);
  await work();
  const spent = spentMs(before, readProcessors(clusterUrl, DATABASE, pids));
  return { all: (spent.servers + spent.database) / calls, database: spent.database / calls };
}
