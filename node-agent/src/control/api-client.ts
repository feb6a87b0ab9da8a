import * as http from 'node:http';
import * as https from 'node:https';
import type { ErrorCode } from '@raha/contract/errors.ts';
import { limits } from '@raha/contract/limits.ts';
import {
  type DesiredState,
  NODE_BASE,
  type NodeSettings,
  nodeEndpoints,
  type ReachNetworks,
  type UsageReply,
  type UsageReport,
} from '@raha/contract/node/protocol.ts';
import { RELEASE_BASE } from '@raha/contract/node/release.ts';
import type { TraceAnswer } from '@raha/contract/node/trace.ts';
import * as z from 'zod/mini';
import type { Identity } from './identity.ts';
import { signNodeToken } from './node-token.ts';

/** The control plane refused a call. The message contains its own explanation, which is in English. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;
  readonly code: string;

  constructor({ status, bytes }: Pick<Answer, 'status' | 'bytes'>) {
    const { code, message } = readRefusal(bytes.toString('utf8'));
    super(`refused: ${status} ${code}${message ? `: ${message}` : ''}`);
    this.status = status;
    this.code = code;
  }

  /** Trying again soon cannot succeed: the operator has to act first. */
  get isLasting(): boolean {
    return LASTING_CODES.has(this.code);
  }
}

const LASTING_CODES: ReadonlySet<string> = new Set<ErrorCode>([
  'node_superseded',
  'node_agent_too_old',
  'node_agent_too_new',
]);

export interface ApiClient {
  enrol(request: { token: string; agentVersion: string }): Promise<Enrolled>;
  /** Long poll; the request acknowledges that `after` is applied. */
  getDesiredState(query: { after: number; epoch: string; wait?: number }, signal?: AbortSignal): Promise<DesiredState>;
  getNetworks(): Promise<ReachNetworks>;
  answerTrace(answer: { id: string; answer: TraceAnswer }): Promise<void>;
  reportUsage(report: UsageReport, timeoutMs?: number): Promise<UsageReply>;
  /** How far the control plane's clock is ahead of ours by its last answer; undefined before the first. */
  clockOffsetMs(): number | undefined;
  /** Downloads a file of the agent's release that the control plane offers. Throws if it has more than `maxBytes`. */
  downloadRelease(name: string, maxBytes: number): Promise<Buffer>;
  /** Requests a certificate for the node's own key for a protocol. */
  certify(request: { protocol: 'openvpn' | 'ikev2'; publicKey: string }): Promise<void>;
}

export interface Enrolled {
  readonly nodeId: string;
  readonly generation: number;
  readonly settings: NodeSettings;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly body?: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

interface Answer {
  readonly status: number;
  readonly date: string | undefined;
  readonly bytes: Buffer;
}

const { getNetworks } = nodeEndpoints;
const TIMEOUT_MS = 10_000;
const DOWNLOAD = { method: 'GET', timeoutMs: 120_000 } as const;

/** All calls of the agent to the control plane, the only host that it connects to. Connections are kept open. */
export function createApiClient(control: string, identity: Identity, now: () => number): ApiClient {
  const base = new URL(control);
  const prefix = `${base.pathname.replace(/\/$/, '')}${NODE_BASE}`;
  const transport = base.protocol === 'https:' ? https : http;
  const agent = new transport.Agent({ keepAlive: true, scheduling: 'lifo' });
  /** How far the control plane's clock is ahead of ours. */
  let offsetMs = 0;
  let observedOffsetMs: number | undefined;

  async function call<S extends z.core.$ZodType>(schema: S, request: Call, authenticated = true): Promise<z.output<S>> {
    let answer = await send(request, authenticated);
    observedOffsetMs = readOffset(answer, now()) ?? observedOffsetMs;
    if (answer.status === 401 && authenticated && learnOffset(answer)) answer = await send(request, authenticated);
    if (answer.status !== 200) throw new Refused(answer);
    return z.parse(schema, JSON.parse(answer.bytes.toString('utf8')));
  }

  /** Of an answer nothing matters but that it came. */
  async function tell({ path, response }: (typeof nodeEndpoints)['certify' | 'answerTrace'], body: object) {
    await call(response, { method: 'POST', path, body: JSON.stringify(body) });
  }

  function send(request: Call, authenticated: boolean): Promise<Answer> {
    const path = `${prefix}${request.path}${request.query ?? ''}`;
    const headers: Record<string, string> = { accept: 'application/json', 'accept-language': 'en' };
    if (authenticated) headers.authorization = `Bearer ${token(request, path)}`;
    if (request.body !== undefined) headers['content-type'] = 'application/json';
    const url = new URL(path, base);
    return exchange(transport, url, { method: request.method, headers, agent }, request);
  }

  function token(request: Call, path: string): string {
    const registration = identity.registration();
    if (!registration) throw new Error('this node is not enrolled');
    return signNodeToken(identity.signingKey, {
      nodeId: registration.nodeId,
      generation: registration.generation,
      method: request.method,
      path,
      body: request.body,
      nowSeconds: Math.floor((now() + offsetMs) / 1000),
    });
  }

  /** True when our clock was wrong, so that a second attempt may succeed. */
  function learnOffset(answer: Answer): boolean {
    const remote = answer.date ? Date.parse(answer.date) : Number.NaN;
    if (Number.isNaN(remote)) return false;
    const before = offsetMs;
    offsetMs = remote - now();
    return Math.abs(offsetMs - before) > 1_500;
  }

  return {
    clockOffsetMs: () => observedOffsetMs,
    downloadRelease: (name, maxBytes) => downloadRelease(transport, base, agent, { name, maxBytes }),
    enrol: ({ token: secret, agentVersion }) => {
      const body = JSON.stringify({
        token: secret,
        publicKey: identity.signingPublicKey,
        wireguardPublicKey: identity.wireguardPublicKey,
        agentVersion,
      });
      return call(nodeEndpoints.enrol.response, { method: 'POST', path: nodeEndpoints.enrol.path, body }, false);
    },
    certify: (request) => tell(nodeEndpoints.certify, request),
    answerTrace: (answer) => tell(nodeEndpoints.answerTrace, answer),
    getDesiredState: (query, signal) => {
      const wait = query.wait ?? limits.node.longPollSeconds;
      return call(nodeEndpoints.getDesiredState.response, {
        method: 'GET',
        path: nodeEndpoints.getDesiredState.path,
        query: `?after=${query.after}&epoch=${query.epoch}&traces=1&wait=${wait}`,
        timeoutMs: TIMEOUT_MS + wait * 1000,
        signal,
      });
    },
    getNetworks: () => call(getNetworks.response, { method: 'GET', path: getNetworks.path }),
    reportUsage: (report, timeoutMs = TIMEOUT_MS) => {
      const { path, response } = nodeEndpoints.reportUsage;
      return call(response, { method: 'POST', path, body: JSON.stringify(report), timeoutMs });
    },
  };
}

/** `Date` has whole seconds; half a second is the best guess for the rest. */
function readOffset({ date }: Answer, nowMs: number): number | undefined {
  const remote = date ? Date.parse(date) : Number.NaN;
  return Number.isNaN(remote) ? undefined : Math.round(remote + 500 - nowMs);
}

async function downloadRelease(
  transport: typeof http | typeof https,
  base: URL,
  agent: http.Agent,
  { name, maxBytes }: { name: string; maxBytes: number },
): Promise<Buffer> {
  const path = `${base.pathname.replace(/\/$/, '')}${RELEASE_BASE}/${name}`;
  const call = { ...DOWNLOAD, path, maxBytes };
  const answer = await exchange(transport, new URL(path, base), { method: 'GET', agent }, call);
  if (answer.status !== 200) throw new Refused(answer);
  return answer.bytes;
}

function exchange(
  transport: typeof http | typeof https,
  url: URL,
  options: https.RequestOptions,
  call: Call,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = transport.request(
      url,
      { ...options, ...(call.signal ? { signal: call.signal } : {}) },
      (response) => {
        const parts: Buffer[] = [];
        let length = 0;
        response.on('data', (part: Buffer) => {
          length += part.length;
          if (length > (call.maxBytes ?? Number.POSITIVE_INFINITY))
            request.destroy(new Error('the answer is too long'));
          else parts.push(part);
        });
        response.on('error', reject);
        response.on('close', () => reject(new Error('the answer was incomplete')));
        response.on('end', () => {
          clearTimeout(timer);
          resolve({ status: response.statusCode ?? 0, date: response.headers.date, bytes: Buffer.concat(parts) });
        });
      },
    );
    const timer = setTimeout(() => request.destroy(new Error('no answer in time')), call.timeoutMs ?? TIMEOUT_MS);
    request.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    request.end(call.body);
  });
}

function readRefusal(text: string): { code: string; message: string } {
  try {
    const { code, message } = JSON.parse(text) as { code?: unknown; message?: unknown };
    return { code: String(code ?? 'unknown'), message: typeof message === 'string' ? message : '' };
  } catch {
    return { code: 'unknown', message: '' };
  }
}
