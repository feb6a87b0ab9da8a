import { createHash, createPublicKey, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type DesiredState,
  NODE_AUDIENCE,
  NODE_BASE,
  type NodeSettings,
  type Peer,
  type ReachNetworks,
  type UsageReply,
  type UsageReport,
  usageReport,
} from '@raha/contract/node/protocol.ts';
import { RELEASE_BASE, releaseFiles } from '@raha/contract/node/release.ts';
import type { TraceAnswer, TraceQuestion } from '@raha/contract/node/trace.ts';
import * as z from 'zod/mini';
import { makeRelease, makeReleaseKey } from './release.ts';

export const NODE_ID = '0197f000-0000-7000-8000-000000000001';

interface Meter {
  allowed: number;
  version: number;
  maxMbit?: number | undefined;
  final: boolean;
  readonly epochs: Map<string, { up: number; down: number }>;
}

type PeerOrder = Omit<Extract<Peer, { protocol: 'wireguard' }>, 'protocol' | 'lease'>;

/**
 * A control plane in memory that implements `contract/src/node/protocol.ts`: signed requests, long poll, cumulative maxima
 * per epoch, leases. It can die and come back on the same port with its state.
 */
export class FakeControlPlane {
  readonly reports: UsageReport[] = [];
  generation = 0;
  /** Generation the node has applied. */
  applied = 0;
  epoch: string | null = null;
  wireguardPublicKey = '';
  #settings: NodeSettings;
  /** Signs the releases; the agent's machine has to trust its public half. */
  readonly releaseKey = makeReleaseKey();
  #offered: ReadonlyMap<string, Buffer> = new Map();
  readonly #host: string;
  #port = 0;
  #server: Server | undefined;
  #signingKey = '';
  #forksNext = false;
  #networks: ReachNetworks | undefined;
  /** A node that has not applied this generation gets the complete state. */
  #lostAt = 0;
  /** Answers every sample with the present lease and a denied refill. */
  deniesRefills = false;
  readonly #peers = new Map<string, { readonly order: PeerOrder; changed: number }>();
  readonly #gone = new Map<string, number>();
  readonly #meters = new Map<string, Meter>();
  readonly #waiting = new Set<() => void>();
  /** Goes with the answers to polls until the node has answered it. */
  #question: TraceQuestion | undefined;
  #heard: ((answer: TraceAnswer) => void) | undefined;

  constructor(host: string, settings: NodeSettings) {
    this.#host = host;
    this.#settings = settings;
  }

  get url(): string {
    return `http://${this.#host}:${this.#port}`;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(this.#port, this.#host, resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async die(): Promise<void> {
    this.#waiting.clear();
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  put(order: PeerOrder): number {
    this.#peers.set(order.id, { order, changed: this.generation + 1 });
    this.#gone.delete(order.id);
    return this.#change();
  }

  remove(id: string): number {
    this.#peers.delete(id);
    this.#gone.set(id, this.generation + 1);
    return this.#change();
  }

  /** Total the config may use over all epochs, by a new lease in the desired state. */
  allow(id: string, totalBytes: number): number {
    const meter = this.#meter(id);
    meter.allowed = totalBytes;
    meter.version += 1;
    const entry = this.#peers.get(id);
    if (entry) entry.changed = this.generation + 1;
    return this.#change();
  }

  /** The speed of the config's next leases; undefined: no limit. */
  limitSpeed(id: string, maxMbit: number | undefined): number {
    const meter = this.#meter(id);
    meter.maxMbit = maxMbit;
    return this.allow(id, meter.allowed);
  }

  setMorePorts(morePorts: number[]): number {
    this.#settings = { ...this.#settings, wireguard: { ...this.#settings.wireguard, morePorts } };
    return this.#change();
  }

  /** Has the node count how devices of these networks get through. */
  setNetworks(networks: ReachNetworks['networks'], periodMs: number): number {
    const list = createHash('sha256').update(JSON.stringify(networks)).digest('hex').slice(0, 16);
    this.#networks = { list, networks };
    this.#settings = { ...this.#settings, reach: { list, periodMs } };
    return this.#change();
  }

  /** Offers a signed release with this agent, and makes it the desired one. */
  offerAgent(agent: Buffer, release: number): number {
    return this.offer(makeRelease(this.releaseKey, release, { [releaseFiles.agent]: agent }));
  }

  /** Offers these files as a release, whatever they are, and makes its agent the desired one. */
  offer(files: ReadonlyMap<string, Buffer>): number {
    this.#offered = files;
    const agent = files.get(releaseFiles.agent) ?? Buffer.alloc(0);
    this.#settings = { ...this.#settings, agent: { sha256: createHash('sha256').update(agent).digest('hex') } };
    return this.#change();
  }

  /** Bytes of all reports, over all epochs. */
  billed(id: string): number {
    return [...this.#meter(id).epochs.values()].reduce((sum, { up, down }) => sum + up + down, 0);
  }

  isFinal(id: string): boolean {
    return this.#meter(id).final;
  }

  /** Asks the node which config uses a port. */
  async trace(question: Omit<TraceQuestion, 'id'>): Promise<TraceAnswer> {
    const answered = new Promise<TraceAnswer>((resolve) => {
      this.#heard = resolve;
    });
    this.#question = { ...question, id: randomUUID() };
    for (const answer of [...this.#waiting]) answer();
    return await answered;
  }

  /** Answers the next report as if its number had been used before. */
  forkNext(): void {
    this.#forksNext = true;
  }

  /** Loses all configs, as with a restored database, and sends snapshots until one is applied. Returns what it lost. */
  forgetAll(): PeerOrder[] {
    const orders = [...this.#peers.values()].map(({ order }) => order);
    this.#peers.clear();
    this.#lostAt = this.generation + 1;
    this.#change();
    return orders;
  }

  #change(): number {
    this.generation += 1;
    for (const answer of [...this.#waiting]) answer();
    return this.generation;
  }

  #meter(id: string): Meter {
    const meter = this.#meters.get(id) ?? { allowed: 0, version: 0, final: false, epochs: new Map() };
    this.#meters.set(id, meter);
    return meter;
  }

  #peer(order: PeerOrder): Peer {
    const { version, allowed, maxMbit, epochs } = this.#meter(order.id);
    const counted = epochs.get(this.epoch ?? '') ?? { up: 0, down: 0 };
    const limitBytes = counted.up + counted.down + Math.max(0, allowed - this.billed(order.id));
    const speed = maxMbit === undefined ? {} : { maxMbit };
    const lease = this.epoch && version > 0 ? { epoch: this.epoch, version, limitBytes, ...speed } : null;
    return { ...order, protocol: 'wireguard', lease };
  }

  #desired(after: number, isWhole: boolean): DesiredState {
    const { generation } = this;
    const settings = this.#settings;
    if (after === 0 || isWhole) {
      const peers = [...this.#peers.values()].map(({ order }) => this.#peer(order));
      return { kind: 'snapshot', generation, settings, peers, removed: [] };
    }
    const changed = [...this.#peers.values()].filter((entry) => entry.changed > after);
    const removed = [...this.#gone].filter(([, at]) => at > after).map(([id]) => id);
    return { kind: 'delta', generation, settings, peers: changed.map(({ order }) => this.#peer(order)), removed };
  }

  #longPoll(query: URLSearchParams, response: ServerResponse, send: (body: unknown) => void): void {
    const after = Number(query.get('after'));
    const isNewEpoch = query.get('epoch') !== this.epoch;
    this.epoch = query.get('epoch');
    this.applied = after;
    const answer = () => {
      this.#waiting.delete(answer);
      clearTimeout(timer);
      const isChanged = this.generation > after || isNewEpoch || after === 0;
      const isLost = after < this.#lostAt;
      const trace = query.get('traces') === '1' && this.#question ? { trace: this.#question } : {};
      const unchanged = { kind: 'unchanged', generation: this.generation, ...trace };
      send(isChanged ? this.#desired(after, isNewEpoch || isLost) : unchanged);
    };
    const timer = setTimeout(answer, Number(query.get('wait')) * 1000);
    response.once('close', () => {
      this.#waiting.delete(answer);
      clearTimeout(timer);
    });
    if (this.generation > after || isNewEpoch || this.#question) answer();
    else this.#waiting.add(answer);
  }

  #takeReport(report: UsageReport): UsageReply {
    this.reports.push(report);
    if (this.#forksNext) {
      this.#forksNext = false;
      return { ackSeq: report.seq, epoch: 'mint-epoch', leases: [] };
    }
    for (const { config, up, down, final } of report.samples) {
      const meter = this.#meter(config);
      const known = meter.epochs.get(report.epoch) ?? { up: 0, down: 0 };
      meter.epochs.set(report.epoch, { up: Math.max(known.up, up), down: Math.max(known.down, down) });
      meter.final ||= final === true;
    }
    const answered = this.deniesRefills ? report.samples : [];
    const leases = answered.flatMap(({ config }) => {
      const order = this.#peers.get(config)?.order;
      const lease = order && this.#peer(order).lease;
      return lease ? [{ config, lease, refillDenied: true }] : [];
    });
    return { ackSeq: report.seq, epoch: 'continue', leases };
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://control');
    const body = await readBody(request);
    const send = (value: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    const offered = this.#offered.get(url.pathname.replace(`${RELEASE_BASE}/`, ''));
    if (offered) {
      response.end(offered);
    } else if (url.pathname === `${NODE_BASE}/enrol`) {
      const { publicKey, wireguardPublicKey } = JSON.parse(body);
      this.#signingKey = publicKey;
      this.wireguardPublicKey = wireguardPublicKey;
      send({ success: true, nodeId: NODE_ID, generation: 1, settings: this.#settings });
    } else if (!isSigned(request, body, this.#signingKey)) {
      send({ success: false, code: 'node_unauthenticated' }, 401);
    } else if (url.pathname === `${NODE_BASE}/desired-state`) {
      this.#longPoll(url.searchParams, response, send);
    } else if (url.pathname === `${NODE_BASE}/certificates`) {
      // Only WireGuard is served here, so the settings stay.
      send({ success: true });
    } else if (url.pathname === `${NODE_BASE}/networks` && this.#networks) {
      send(this.#networks);
    } else if (url.pathname === `${NODE_BASE}/trace-answers`) {
      const { id, answer } = JSON.parse(body) as { id: string; answer: TraceAnswer };
      // One that was asked twice is answered twice, and the second answer may come during the next question.
      if (id === this.#question?.id) {
        this.#question = undefined;
        this.#heard?.(answer);
      }
      send({ success: true });
    } else if (url.pathname === `${NODE_BASE}/usage-reports`) {
      send(this.#takeReport(z.parse(usageReport, JSON.parse(body))));
    } else {
      send({ success: false, code: 'not_found' }, 404);
    }
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function isSigned(request: IncomingMessage, body: string, signingKey: string): boolean {
  const [head = '', payload = '', signature = ''] = (request.headers.authorization ?? '')
    .replace('Bearer ', '')
    .split('.');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: signingKey }, format: 'jwk' });
  if (!verify(null, Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))) return false;
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const now = Date.now() / 1000;
  return (
    claims.sub === NODE_ID &&
    claims.iss === NODE_ID &&
    claims.aud === NODE_AUDIENCE &&
    claims.gen === 1 &&
    claims.iat <= now + 5 &&
    claims.exp > now &&
    claims.exp - claims.iat <= 60 &&
    claims.htm === request.method &&
    claims.htu === request.url &&
    claims.bh === (body ? createHash('sha256').update(body).digest('base64url') : '')
  );
}
