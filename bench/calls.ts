import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, type OutgoingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { setSettingByKey } from '../server/src/app/all-settings.ts';
import { MASTER_KEY, openProduct, signUp } from './charges.ts';
import { readProcessors, spentMs } from './processor-time.ts';
import { addConfigs, credit } from './purchases.ts';
import { type Figure, medianFigure, ratioFigure, type Say } from './run.ts';
import { freshDatabase } from './transfers.ts';

const DATABASE = 'bench_calls';
const ROUNDS = 5;
const WARM = 1000;
/** Sign-ins before the first that counts: an engine makes a call fast only once it has been made often. */
const WARM_SIGN_INS = 200;
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
 * bare hello of the same process and against bare argon2; the same spread over two servers. Time on the clock does not count,
 * so other work on the machine disturbs little.
 */
export async function measureCalls(
  { url: clusterUrl, socketDirectory }: { readonly url: string; readonly socketDirectory: string },
  say: Say,
): Promise<Figure[]> {
  const { username, password, port } = new URL(await freshDatabase(clusterUrl, DATABASE));
  const databaseUrl = `postgres:///${DATABASE}?host=${socketDirectory}&port=${port}&user=${username}&password=${password}`;
  const { token, emails } = await preparePeople(databaseUrl);
  const servers = [await startServer(databaseUrl), await startServer(databaseUrl)] as const;
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME });
  const [one, two] = servers;
  try {
    const get = (origin: string, path: string) => () =>
      send(agent, `${origin}/api/v1${path}`, { authorization: `Bearer ${token}` });
    const login = inTurns(...(await Promise.all(emails.map((email) => loginOf(agent, one.origin, email)))));
    const cases = {
      hello: { calls: 3000, server: [one], work: () => send(agent, `${one.hello}/hello`, {}) },
      'hello, two servers': {
        calls: 3000,
        server: [one, two],
        work: inTurns(
          () => send(agent, `${one.hello}/hello`, {}),
          () => send(agent, `${two.hello}/hello`, {}),
        ),
      },
      me: { calls: 1200, server: [one], work: get(one.origin, '/auth/me') },
      configs: { calls: 500, server: [one], work: get(one.origin, '/user/configs') },
      dashboard: { calls: 400, server: [one], work: get(one.origin, '/user/dashboard') },
      'dashboard, two servers': {
        calls: 400,
        server: [one, two],
        work: inTurns(get(one.origin, '/user/dashboard'), get(two.origin, '/user/dashboard')),
      },
      argon2: { calls: 40, server: [one], work: undefined },
      login: { calls: 40, server: [one], work: login },
    };
    type Name = keyof typeof cases;
    const names = Object.keys(cases) as Name[];
    const runs = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
    for (const { work } of Object.values(cases)) if (work) await repeat(work === login ? WARM_SIGN_INS : WARM, work);
    for (let round = 0; round < ROUNDS; round += 1) {
      const spentBy: string[] = [];
      for (const name of names) {
        const { calls, server, work } = cases[name];
        const spent = await processorMs(clusterUrl, server, calls, () =>
          work ? repeat(calls, work) : verify(one, calls),
        );
        runs[name].push(spent.all);
        spentBy.push(`${name} ${spent.all.toFixed(2)} (${spent.database.toFixed(2)})`);
      }
      say(`  round ${round + 1}, ms (of it PostgreSQL): ${spentBy.join(', ')}`);
    }
    return [
      ...names.map((name) => medianFigure('k', `processor time: ${name}`, 'ms', runs[name])),
      ratioFigure('k', '/auth/me to a bare hello', runs.me, runs.hello, { atMost: 8 }),
      ratioFigure('k', 'list of configs to a bare hello', runs.configs, runs.hello),
      ratioFigure('k', 'dashboard to a bare hello', runs.dashboard, runs.hello, { atMost: 25 }),
      ratioFigure('k', 'sign-in with a password to bare argon2', runs.login, runs.argon2, { atMost: 1.3 }),
      // Two servers keep both processors busy, and then a bare hello costs more, too.
      ratioFigure(
        'k',
        'dashboard with two servers to one, each to a bare hello',
        quotients(runs['dashboard, two servers'], runs['hello, two servers']),
        quotients(runs.dashboard, runs.hello),
        { atMost: 1.1 },
      ),
    ];
  } finally {
    agent.destroy();
    for (const { process } of servers) {
      process.disconnect();
      await once(process, 'exit');
    }
  }
}

function quotients(ours: readonly number[], yardstick: readonly number[]): number[] {
  return ours.map((value, index) => value / (yardstick[index] as number));
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
): Promise<{ readonly all: number; readonly database: number }> {
  const pids = servers.map(({ process }) => process.pid as number);
  const before = readProcessors(clusterUrl, DATABASE, pids);
  await work();
  const spent = spentMs(before, readProcessors(clusterUrl, DATABASE, pids));
  return { all: (spent.servers + spent.database) / calls, database: spent.database / calls };
}
