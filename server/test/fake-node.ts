import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { ProxyState } from '@raha/contract/node/openvpn-settings.ts';
import {
  type DesiredState,
  NODE_AUDIENCE,
  NODE_BASE,
  type NodeSettings,
  type Peer,
  type Sample,
  type UsageReply,
  type UsageReport,
} from '@raha/contract/node/protocol.ts';
import type { Protocol } from '@raha/contract/protocols.ts';
import { sql } from 'kysely';
import { addNode } from '../src/modules/fleet/add-node.ts';
import { type Clock, systemClock } from '../src/platform/clock.ts';
import type { TestWorld } from './world.ts';

/**
 * The address and the clock of a node's server. Without `deps` the server is another process and uses the machine's clock.
 */
interface ServerAddress {
  readonly origin: string;
  readonly deps?: { readonly clock: Clock };
}

/** A node that speaks the real protocol over HTTP; its kernel is a map of numbers. */
export class FakeNode {
  readonly id: string;
  epoch = randomBytes(16).toString('hex');
  seq = 0;
  applied = 0;
  readonly peers = new Map<string, Peer>();
  readonly removed: string[] = [];
  settings: NodeSettings | undefined;
  /** The protocols that its reports name. */
  protocols: Protocol[] = ['wireguard'];
  /** Whether its reports say that it serves OpenConnect; undefined: its agent is of before that. */
  openconnect: boolean | undefined;
  /** How its reports say that it is with the proxy; undefined: its agent is of before that. */
  proxy: ProxyState | undefined;
  /** At which it accepts WireGuard beside its own port; undefined: it is of before such ports. */
  wireguardPorts: number[] | undefined;
  /** Whether its agent is one that answers traces. */
  answersTraces = false;
  readonly #origin: string;
  readonly #key: KeyObject;
  readonly #registration: number;
  readonly #clock: Clock;
  readonly #gone = new AbortController();
  #healthy = true;

  constructor({ origin, deps }: ServerAddress, id: string, key: KeyObject, registration: number) {
    this.#origin = origin;
    this.#clock = deps?.clock ?? systemClock;
    this.id = id;
    this.#key = key;
    this.#registration = registration;
  }

  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Stops the node for good. */
  leave(): void {
    this.#gone.abort();
  }

  /** Polls for the desired state and applies it; `wait` in seconds as in the protocol. */
  async sync(wait = 0): Promise<DesiredState> {
    const state = (await this.get(
      `/desired-state?after=${this.applied}&epoch=${this.epoch}&wait=${wait}${this.answersTraces ? '&traces=1' : ''}`,
    )) as DesiredState;
    if (state.kind === 'unchanged') return state;
    const held = new Map(this.peers);
    if (state.kind === 'snapshot') this.peers.clear();
    for (const peer of state.peers)
      this.peers.set(peer.id, { ...peer, lease: newerOf(held.get(peer.id)?.lease, peer.lease) });
    for (const id of state.removed) {
      this.peers.delete(id);
      this.removed.push(id);
    }
    this.applied = state.generation;
    this.settings = state.settings;
    return state;
  }

  /** Applies and acknowledges, so that the control plane has recorded the state as applied. */
  async settle(): Promise<void> {
    await this.sync();
    await this.sync();
  }

  limitOf(config: string): number {
    return this.peers.get(config)?.lease?.limitBytes ?? 0;
  }

  /** Reports cumulative bytes of the current epoch and takes over the leases in the reply. */
  async report(
    samples: (Pick<Sample, 'config'> & Partial<Sample>)[],
    more: Partial<UsageReport> = {},
  ): Promise<UsageReply> {
    this.seq += 1;
    return await this.send(this.makeReport(samples, more));
  }

  makeReport(samples: (Pick<Sample, 'config'> & Partial<Sample>)[], more: Partial<UsageReport> = {}): UsageReport {
    return {
      epoch: this.epoch,
      seq: this.seq,
      ageMs: 0,
      tunnels: [],
      health: {
        load: 0.1,
        tunnelsUp: this.#healthy,
        protocols: this.protocols,
        ...(this.openconnect === undefined ? {} : { openconnect: this.openconnect }),
        ...(this.proxy === undefined ? {} : { proxy: this.proxy }),
        unmeteredUpperBoundBytes: 0,
        agentVersion: 'fake',
        ...(this.wireguardPorts ? { wireguardPorts: this.wireguardPorts } : {}),
      },
      ...more,
      samples: samples.map((sample) => ({
        up: 0,
        down: 0,
        leaseVersion: this.peers.get(sample.config)?.lease?.version ?? 0,
        ...sample,
      })),
    };
  }

  async send(report: UsageReport): Promise<UsageReply> {
    const reply = (await this.call('POST', '/usage-reports', report)) as UsageReply;
    for (const { config, lease } of reply.leases) {
      const peer = this.peers.get(config);
      if (peer) this.peers.set(config, { ...peer, lease: newerOf(peer.lease, lease) });
    }
    return reply;
  }

  /** Has a new key certified, and reports from now on that it serves OpenVPN. */
  async serveOpenvpn(): Promise<string> {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const own = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    await this.certify(own);
    await this.serve('openvpn');
    return own;
  }

  /** The same for IKEv2. */
  async serveIkev2(modulusLength = 3072): Promise<string> {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength });
    const own = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    await this.certify(own, 'ikev2');
    await this.serve('ikev2');
    return own;
  }

  async serve(protocol: Protocol): Promise<void> {
    if (!this.protocols.includes(protocol)) this.protocols = [...this.protocols, protocol];
    await this.report([]);
  }

  async certify(publicKey: string, protocol: 'openvpn' | 'ikev2' = 'openvpn'): Promise<void> {
    await this.call('POST', '/certificates', { protocol, publicKey });
  }

  async goOffline(): Promise<void> {
    this.#healthy = false;
    await this.report([]);
  }

  async get(path: string): Promise<unknown> {
    return await this.call('GET', path);
  }

  async call(method: string, path: string, body?: unknown, claims: Record<string, unknown> = {}): Promise<unknown> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const response = await fetch(`${this.#origin}${NODE_BASE}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token(method, NODE_BASE + path, text, claims)}`,
        ...(text ? { 'content-type': 'application/json' } : {}),
      },
      ...(text ? { body: text } : {}),
    });
    const answer = (await response.json()) as { code?: string };
    if (!response.ok) throw Object.assign(new Error(answer.code), { status: response.status, code: answer.code });
    return answer;
  }

  token(method: string, path: string, body: string, claims: Record<string, unknown> = {}): string {
    const now = Math.floor(this.#clock.now().getTime() / 1000);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'EdDSA', typ: 'JWT' })}.${part({
      iss: this.id,
      sub: this.id,
      aud: NODE_AUDIENCE,
      iat: now,
      exp: now + 60,
      gen: this.#registration,
      htm: method,
      htu: path,
      bh: body ? createHash('sha256').update(body).digest('base64url') : '',
      ...claims,
    })}`;
    return `${text}.${sign(null, Buffer.from(text), this.#key).toString('base64url')}`;
  }
}

let nodes = 0;

/** A node that is enrolled, has applied its first state and is online. */
export async function enrolFakeNode(
  world: TestWorld,
  order: { name?: string; addressLimit?: number } = {},
): Promise<FakeNode> {
  nodes += 1;
  const { token } = await addNode(world.deps, {
    name: `node-${nodes}`,
    country: 'DE',
    city: 'Frankfurt',
    address: '198.51.100.2',
    ...order,
  });
  const node = await enrolWith(world, token);
  await node.report([]);
  await node.settle();
  keepSeen(world, node);
  return node;
}

/** As the agent: an answer that was overtaken by a later one changes nothing. */
function newerOf(held: Peer['lease'] | undefined, received: Peer['lease']): Peer['lease'] {
  return held && received?.epoch === held.epoch && received.version < held.version ? held : received;
}

/**
 * Keeps a node online, as if it reported every few seconds, in a test that advances the clock further than a node may be
 * silent; until `gone`.
 */
function keepSeen(world: TestWorld, node: FakeNode): void {
  if (!world.keepsNodes) return;
  const timer = setInterval(() => {
    const seen = sql`UPDATE node_presence SET seen_at = greatest(seen_at, ${world.deps.clock.now()}) WHERE node_id = ${node.id}`;
    seen.execute(world.deps.db).catch(() => clearInterval(timer));
  }, 5_000);
  timer.unref();
  node.gone.addEventListener('abort', () => clearInterval(timer));
}

export async function enrolWith(world: ServerAddress, token: string): Promise<FakeNode> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const response = await fetch(`${world.origin}${NODE_BASE}/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      token,
      publicKey: publicKey.export({ format: 'jwk' }).x,
      wireguardPublicKey: `${randomBytes(31).toString('base64').slice(0, 42)}A=`,
      agentVersion: 'fake',
    }),
  });
  const answer = (await response.json()) as { nodeId: string; generation: number; code?: string };
  if (!response.ok) throw Object.assign(new Error(answer.code), { status: response.status, code: answer.code });
  return new FakeNode(world, answer.nodeId, privateKey, answer.generation);
}
