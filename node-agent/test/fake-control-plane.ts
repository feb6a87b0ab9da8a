import { createHash, createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type DesiredState,
  NODE_AUDIENCE,
  NODE_BASE,
  type NodeSettings,
  type Peer,
  type UsageReply,
  type UsageReport,
  usageReport,
} from '@raha/contract/node/protocol.ts';
import * as z from 'zod/mini';

export const NODE_ID = '0197f000-0000-7000-8000-000000000001';

/**
 * A control plane in memory that keeps `contract/src/node/protocol.ts` to the letter: signed requests, long poll,
 * cumulative maxima per epoch, leases. It can die and come back on the same port with what it knew.
 */
export interface FakeControlPlane {
  readonly url: string;
  readonly reports: readonly UsageReport[];
  /** Generation the node has applied. */
  readonly applied: number;
  readonly generation: number;
  readonly epoch: string | null;
  readonly wireguardPublicKey: string;
  put(peer: Omit<Peer, 'protocol' | 'lease'>): number;
  remove(id: string): number;
  /** Total the config may use over all epochs, by a new lease in the desired state. */
  allow(id: string, totalBytes: number): number;
  /** What reports have brought in, over all epochs. */
  billed(id: string): number;
  isFinal(id: string): boolean;
  /** Answers the next report as if its number had been used by another. */
  forkNext(): void;
  die(): Promise<void>;
  revive(): Promise<void>;
}

interface Meter {
  allowed: number;
  version: number;
  final: boolean;
  readonly epochs: Map<string, { up: number; down: number }>;
}

export async function startFakeControlPlane(host: string, settings: NodeSettings): Promise<FakeControlPlane> {
  const peers = new Map<string, { peer: Omit<Peer, 'lease'>; changed: number }>();
  const gone = new Map<string, number>();
  const meters = new Map<string, Meter>();
  const reports: UsageReport[] = [];
  const waiting = new Set<() => void>();
  let [generation, applied, port] = [0, 0, 0];
  let epoch: string | null = null;
  let forks = false;
  let node = { signingKey: '', wireguardPublicKey: '' };
  let server: Server | undefined;

  const change = (): number => {
    generation += 1;
    for (const answer of [...waiting]) answer();
    return generation;
  };
  const meterOf = (id: string): Meter => {
    const meter = meters.get(id) ?? { allowed: 0, version: 0, final: false, epochs: new Map() };
    meters.set(id, meter);
    return meter;
  };
  const billed = (id: string) => [...meterOf(id).epochs.values()].reduce((sum, { up, down }) => sum + up + down, 0);
  const withLease = (peer: Omit<Peer, 'lease'>): Peer => {
    const meter = meterOf(peer.id);
    const counted = meter.epochs.get(epoch ?? '') ?? { up: 0, down: 0 };
    const limitBytes = counted.up + counted.down + Math.max(0, meter.allowed - billed(peer.id));
    return { ...peer, lease: epoch && meter.version > 0 ? { epoch, version: meter.version, limitBytes } : null };
  };

  function desired(after: number, isNewEpoch: boolean): DesiredState {
    if (after === 0 || isNewEpoch) {
      return { kind: 'snapshot', generation, settings, peers: [...peers.values()].map(({ peer }) => withLease(peer)) };
    }
    const changed = [...peers.values()].filter((entry) => entry.changed > after).map(({ peer }) => withLease(peer));
    const removed = [...gone].filter(([, at]) => at > after).map(([id]) => id);
    return { kind: 'delta', generation, settings, peers: changed, removed };
  }

  function longPoll(query: URLSearchParams, request: IncomingMessage, send: (body: unknown) => void): void {
    const after = Number(query.get('after'));
    const isNewEpoch = query.get('epoch') !== epoch;
    epoch = query.get('epoch');
    applied = after;
    const answer = () => {
      waiting.delete(answer);
      clearTimeout(timer);
      send(generation > after || isNewEpoch ? desired(after, isNewEpoch) : { kind: 'unchanged', generation });
    };
    const timer = setTimeout(answer, Number(query.get('wait')) * 1000);
    request.on('close', () => clearTimeout(timer));
    if (generation > after || isNewEpoch || after === 0) answer();
    else waiting.add(answer);
  }

  function takeReport(report: UsageReport): UsageReply {
    reports.push(report);
    if (forks) {
      forks = false;
      return { ackSeq: report.seq, epoch: 'mint-epoch', leases: [] };
    }
    for (const sample of report.samples) {
      const meter = meterOf(sample.config);
      const known = meter.epochs.get(report.epoch) ?? { up: 0, down: 0 };
      meter.epochs.set(report.epoch, { up: Math.max(known.up, sample.up), down: Math.max(known.down, sample.down) });
      meter.final ||= sample.final === true;
    }
    return { ackSeq: report.seq, epoch: 'continue', leases: [] };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://control');
    const body = await readBody(request);
    const send = (value: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (url.pathname === `${NODE_BASE}/enrol`) {
      const { publicKey, wireguardPublicKey } = JSON.parse(body);
      node = { signingKey: publicKey, wireguardPublicKey };
      send({ success: true, nodeId: NODE_ID, generation: 1, settings });
    } else if (!isSigned(request, url, body, node.signingKey)) {
      send({ success: false, code: 'node_unauthenticated' }, 401);
    } else if (url.pathname === `${NODE_BASE}/desired-state`) {
      longPoll(url.searchParams, request, send);
    } else if (url.pathname === `${NODE_BASE}/usage-reports`) {
      send(takeReport(z.parse(usageReport, JSON.parse(body))));
    } else {
      send({ success: false, code: 'not_found' }, 404);
    }
  }

  async function revive(): Promise<void> {
    server = createServer((request, response) => {
      handle(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server?.listen(port, host, resolve));
    port = (server.address() as AddressInfo).port;
  }

  await revive();
  return {
    url: `http://${host}:${port}`,
    reports,
    get applied() {
      return applied;
    },
    get generation() {
      return generation;
    },
    get epoch() {
      return epoch;
    },
    get wireguardPublicKey() {
      return node.wireguardPublicKey;
    },
    put: (peer) => {
      peers.set(peer.id, { peer: { ...peer, protocol: 'wireguard' }, changed: generation + 1 });
      gone.delete(peer.id);
      return change();
    },
    remove: (id) => {
      peers.delete(id);
      gone.set(id, generation + 1);
      return change();
    },
    allow: (id, totalBytes) => {
      const meter = meterOf(id);
      meter.allowed = totalBytes;
      meter.version += 1;
      const entry = peers.get(id);
      if (entry) entry.changed = generation + 1;
      return change();
    },
    billed,
    isFinal: (id) => meterOf(id).final,
    forkNext: () => {
      forks = true;
    },
    die: async () => {
      waiting.clear();
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve));
    },
    revive,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function isSigned(request: IncomingMessage, url: URL, body: string, signingKey: string): boolean {
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
    claims.htu === url.pathname &&
    claims.bh === (body ? createHash('sha256').update(body).digest('base64url') : '')
  );
}
