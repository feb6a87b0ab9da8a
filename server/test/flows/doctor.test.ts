import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examine } from '../../src/app/doctor/doctor.ts';
import type { DoctorContext } from '../../src/app/doctor/finding.ts';
import { requireMasterKey } from '../../src/app/master-key.ts';
import { migrate } from '../../src/app/migrate.ts';
import { releasePayments } from '../../src/app/release-payments.ts';
import { addNode } from '../../src/modules/fleet/add-node.ts';
import { addRelay } from '../../src/modules/fleet/add-relay.ts';
import { getNodeByName } from '../../src/modules/fleet/get-node.ts';
import { noteRelayHealth } from '../../src/modules/fleet/relays.ts';
import { makeReleaseKey, readReleaseKey, signRelease } from '../../src/modules/fleet/sign-release.ts';
import { holdPayments } from '../../src/modules/payments/hold.ts';
import { manualClock, systemClock } from '../../src/platform/clock.ts';
import { type Config, readConfig } from '../../src/platform/config.ts';
import { inTransaction, openDatabase } from '../../src/platform/database.ts';
import { createVault } from '../../src/platform/sealed.ts';
import { createTestDatabase } from '../database.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { actor, openTestWorld, TEST_MASTER_KEY, type TestWorld } from '../world.ts';

/** `raha doctor` on an installation behind a proxy with TLS, right and wrong: each fault is reported in one sentence. */
const directory = mkdtempSync(join(tmpdir(), 'raha-doctor-'));
let world: TestWorld;
let proxy: Server;
let mail: SMTPServer;
let right: DoctorContext;
let releaseKey: string;
/** The headers that the proxy sets before it forwards a request. */
let forward: (incoming: IncomingMessage) => Record<string, string | undefined>;

const client = { 'x-forwarded-for': '203.0.113.5', host: 'raha.example' };

beforeAll(async () => {
  world = await openTestWorld();
  await enrolFakeNode(world);
  await requireMasterKey(world.deps.db, world.deps.vault, new Date());
  const certificate = selfSigned('127.0.0.1');
  proxy = createServer(certificate, (incoming, outgoing) => {
    const sent = Object.entries({ ...incoming.headers, ...forward(incoming) });
    const headers = Object.fromEntries(sent.filter(([, value]) => value !== undefined)) as Record<string, string>;
    const onward = request(world.origin + incoming.url, { headers, setHost: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  mail = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _, done) => {
      stream.resume();
      stream.on('end', () => done());
    },
  });
  await new Promise<void>((done) => mail.listen(0, '127.0.0.1', () => done()));
  const smtpPort = (mail.server.address() as AddressInfo).port;
  const { file, publicKey } = makeReleaseKey(directory);
  signRelease({
    key: readReleaseKey(file),
    files: { 'raha-agent.mjs': import.meta.filename },
    out: join(directory, 'release'),
    now: new Date(),
  });
  releaseKey = publicKey;
  right = {
    config: { ...production({ SMTP_URL: `smtp://127.0.0.1:${smtpPort}` }), publicUrl: urlOf(proxy) },
    clock: systemClock,
    vault: world.deps.vault,
    db: world.deps.db,
    readDisk: async () => ({ freeBytes: 50e9, totalBytes: 100e9 }),
    extraCertificates: certificate.cert,
  };
  forward = () => client;
});
afterAll(async () => {
  proxy.close();
  mail.close();
  await world.close();
  rmSync(directory, { recursive: true, force: true });
});

function production(more: Record<string, string> = {}): Config {
  return readConfig({
    PUBLIC_URL: 'https://raha.example',
    SMTP_URL: 'smtps://mail.example',
    MASTER_KEY: TEST_MASTER_KEY,
    OPERATOR_EMAIL: 'operator@raha.example',
    ZARINPAL_MERCHANT_ID: 'b81f5a0c-4c02-4c2b-8c3b-1d1f2c9a7e10',
    USD_RATE_TOMAN: '95000',
    DATA_DIR: directory,
    RELEASE_PUBLIC_KEY: releaseKey,
    ...more,
  });
}

function urlOf(server: Server): string {
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function selfSigned(name: string): { key: string; cert: string } {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=IP:${name}`];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '90'];
  execFileSync('openssl', ['req', '-x509', ...newKey, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

const problemsOf = async (context: Partial<DoctorContext>) =>
  (await examine({ ...right, ...context }))
    .filter(({ level }) => level === 'problem')
    .map(({ check, sentence }) => `${check}: ${sentence}`);

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

test('a right installation has no problem, and every check prints a line', async () => {
  const examined = await examine(right);
  expect(examined.filter(({ level }) => level === 'problem')).toEqual([]);
  expect(new Set(examined.map(({ check }) => check)).size).toBe(16);
});

describe('a wrong installation gets one sentence that explains what to do', () => {
  const config = (change: Partial<Config>) => ({ config: { ...right.config, ...change } });

  test.each<[string, () => Promise<Partial<DoctorContext>> | Partial<DoctorContext>, RegExp]>([
    ['a missing setting', () => config({ unmetNeeds: production({ SMTP_URL: '' }).unmetNeeds }), /SMTP_URL/],
    ['no database', () => ({ db: undefined }), /^database: .*cannot be reached/],
    ['another master key', () => ({ vault: createVault('x'.repeat(32)) }), /^master key: .*MASTER_KEY_FILE/],
    ['a wrong clock', () => ({ clock: manualClock(new Date(Date.now() - 3_600_000)) }), /^clock: .*3600 s.*NTP/],
    ['a full disk', () => ({ readDisk: async () => ({ freeBytes: 2e8, totalBytes: 1e11 }) }), /^disk: Only 0\.2 GB/],
    ['no gateway', () => config({ zarinpal: production({ ZARINPAL_MERCHANT_ID: '' }).zarinpal }), /^gateways: No/],
    ['no exchange rate', () => config({ usdRateToman: undefined }), /^exchange rate: There is no current/],
    [
      'a host name without an address',
      () => config({ publicUrl: 'https://raha.invalid' }),
      /^dns: raha\.invalid has no address/,
    ],
    ['an unknown certificate', () => ({ extraCertificates: selfSigned('127.0.0.2').cert }), /^tls: .*not accepted/],
    [
      'a server that does not answer',
      async () => config({ publicUrl: `https://127.0.0.1:${await closedPort()}` }),
      /^server: .*does not answer/,
    ],
    [
      'a mail server that is down',
      async () => config({ smtpUrl: `smtp://127.0.0.1:${await closedPort()}` }),
      /^mail: .*refused/,
    ],
    [
      'no release key',
      () => config({ releasePublicKey: undefined }),
      /^agent release: .*RELEASE_PUBLIC_KEY is not set/,
    ],
    [
      'no release of the agent',
      () => config({ dataDir: join(directory, 'none') }),
      /^agent release: .*no signed release .*raha release sign/,
    ],
  ])('%s', async (_what, wrong, sentence) => {
    const problems = await problemsOf(await wrong());
    expect(problems.join('\n')).toMatch(sentence);
    for (const line of problems) expect(line).not.toMatch(/ at .*\.ts|undefined|\[object/);
  });

  test('an old schema', async () => {
    const database = await createTestDatabase({ empty: true });
    await migrate(database.url, { to: '0037_first_given' });
    const db = openDatabase(database.url, { max: 1 });
    const problems = await problemsOf({ db });
    await db.destroy();
    await database.drop();
    expect(problems.join('\n')).toMatch(/^database: The schema is older/m);
  });

  test('payments that are held', async () => {
    await holdPayments(world.deps, { actor, from: new Date(), reason: 'restored' });
    expect((await problemsOf({})).join('\n')).toMatch(/^gateways: Nobody can pay: .*raha payments release/m);
    await releasePayments(world.deps, { actor, operator: 'Dana', reason: 'x', gateways: [], without: [] });
  });

  test('a node that is offline', async () => {
    await addNode(world.deps, { name: 'away', country: 'DE', city: 'Berlin', address: '198.51.100.9' });
    expect((await problemsOf({})).join('\n')).toMatch(/^nodes: Node away is offline/m);
  });

  test('a relay that does not answer', async () => {
    const { id: nodeId } = await getNodeByName(world.deps.db, 'away');
    const { id: relay } = await addRelay(world.deps, { actor, name: 'ir1', nodeId, address4: '203.0.113.9' });
    const tried = { relay, family: 4, roundTripMs: null } as const;
    await inTransaction(world.deps.db, (tx) => noteRelayHealth(tx, nodeId, [tried], new Date()));
    expect((await problemsOf({})).join('\n')).toMatch(/^relays: Relay ir1 does not answer its node/m);
  });

  test.each<[string, typeof forward, RegExp]>([
    [
      'does not name the client of a forwarded request',
      () => ({ 'x-forwarded-for': undefined }),
      /^proxy: All requests seem/m,
    ],
    [
      'passes on a forged X-Forwarded-For',
      (incoming) => ({ 'x-forwarded-for': incoming.headers['x-forwarded-for'] as string }),
      /as the client sent it/,
    ],
    [
      'sends no forwarding headers',
      () => ({ 'x-forwarded-for': undefined, host: '127.0.0.1' }),
      /^proxy: \/metrics is public/m,
    ],
  ])('a proxy that %s', async (_what, sets, sentence) => {
    forward = sets;
    const problems = await problemsOf({});
    forward = () => client;
    expect(problems.join('\n')).toMatch(sentence);
  });
});
