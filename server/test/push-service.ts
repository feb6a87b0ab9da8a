import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inTransaction } from '../src/platform/database.ts';
import { eventually, type TestUser, type TestWorld } from './world.ts';

/** What a browser showed: the message as it opened it, and how it was sent. */
export interface Received {
  readonly endpoint: string;
  readonly message: { title: string; body: string; path: string; lang: string };
  readonly headers: IncomingMessage['headers'];
}

/** A browser's push service and its browsers: it refuses what the real ones refuse, and each message is opened with the browser's keys. */
export interface PushService {
  readonly origin: string;
  readonly received: Received[];
  /** As `pushManager.subscribe` answers in a browser; `publicKey` is whose messages it then takes. */
  subscribe(publicKey: string): { endpoint: string; p256dh: string; auth: string };
  /** The browser takes no more messages there. */
  expire(endpoint: string): void;
  /** What is answered instead of taking messages, until undefined again: a status, or no answer at all. */
  answer: number | 'silence' | undefined;
  /** The statuses that were answered. */
  readonly answered: number[];
  close(): Promise<void>;
}

interface Browser {
  readonly keys: ECDH;
  readonly auth: Buffer;
  readonly publicKey: string;
}

export async function openPushService(): Promise<PushService> {
  const browsers = new Map<string, Browser>();
  const received: Received[] = [];
  const answered: number[] = [];
  const state: { answer: number | 'silence' | undefined } = { answer: undefined };
  let origin = '';
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const endpoint = `${origin}${request.url}`;
      const browser = browsers.get(endpoint);
      if (state.answer === 'silence') return;
      const status = state.answer ?? take(endpoint, browser, request, Buffer.concat(parts));
      answered.push(status);
      // A redirect leads to the same address, which would take the message.
      const location = status === 201 ? `${origin}/message/1` : endpoint;
      response.writeHead(status, status < 400 ? { location } : {}).end();
      if (status >= 300 && status < 400) state.answer = undefined;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  function take(endpoint: string, browser: Browser | undefined, request: IncomingMessage, body: Buffer): number {
    if (!browser) return 410;
    const { headers } = request;
    if (request.method !== 'POST' || headers['content-encoding'] !== 'aes128gcm') return 415;
    if (!/^\d+$/.test(headers.ttl?.toString() ?? '')) return 400;
    if (!/^[\w-]{1,32}$/.test(headers.topic?.toString() ?? '')) return 400;
    if (body.length > 4096) return 413;
    if (!isOurs(headers.authorization ?? '', browser.publicKey, origin)) return 403;
    const text = open(browser, body);
    // A real one cannot look inside; the browser drops it without a word.
    if (text === undefined) return 400;
    received.push({ endpoint, headers, message: JSON.parse(text) });
    return 201;
  }

  return {
    origin,
    received,
    answered,
    get answer() {
      return state.answer;
    },
    set answer(status) {
      state.answer = status;
    },
    subscribe(publicKey) {
      const keys = createECDH('prime256v1');
      keys.generateKeys();
      const auth = randomBytes(16);
      const endpoint = `${origin}/push/${randomBytes(12).toString('base64url')}`;
      browsers.set(endpoint, { keys, auth, publicKey });
      return { endpoint, p256dh: keys.getPublicKey().toString('base64url'), auth: auth.toString('base64url') };
    },
    expire: (endpoint) => void browsers.delete(endpoint),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** A browser that takes notifications, and is told that money runs low; returns what of it is secret. */
export async function tellBrowser({ deps }: TestWorld, { api, id }: TestUser): Promise<string[]> {
  const service = await openPushService();
  const browser = service.subscribe((await api.getPush()).data.publicKey);
  await api.turnPushOn({ body: browser });
  const news = { kind: 'low_balance', cause: 'a day', data: { percent: 20, balanceToman: 12_345 } } as const;
  await inTransaction(deps.db, (tx) => deps.notifier.notify(tx, [{ userId: id, ...news }]));
  await eventually(() => service.received[0]);
  await service.close();
  return [browser.endpoint, browser.auth];
}

/** RFC 8292: signed by the key that the browser subscribed with, for this service, for at most a day. */
function isOurs(authorization: string, publicKey: string, origin: string): boolean {
  const [, head = '', claims = '', signature = '', key] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  if (key !== publicKey) return false;
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const seconds = exp - Date.now() / 1000;
  return (
    JSON.parse(Buffer.from(head, 'base64url').toString()).alg === 'ES256' &&
    verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    ) &&
    aud === origin &&
    seconds > 0 &&
    seconds <= 86_400 &&
    /^(mailto:|https?:\/\/)/.test(sub)
  );
}

/** RFC 8188 and RFC 8291 from the browser's side: one record, whose padding begins with 2. Undefined if a bit was changed. */
function open({ keys, auth }: Browser, body: Buffer): string | undefined {
  const salt = body.subarray(0, 16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const sealed = body.subarray(21 + idLength);
  const derive = (secret: Buffer, from: Buffer, info: Buffer, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, from, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender]);
  const secret = derive(keys.computeSecret(sender), auth, info, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(sealed.subarray(-16));
  const plain = decipher.update(sealed.subarray(0, -16));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  const end = plain.lastIndexOf(2);
  if (end < 0 || plain.subarray(end + 1).some((byte) => byte !== 0)) return undefined;
  return plain.subarray(0, end).toString();
}
