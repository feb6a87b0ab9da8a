import {
  createCipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { createSocket } from 'node:dgram';
import { blake2s } from './blake2s.ts';

/**
 * The first message of a WireGuard handshake (whitepaper, section 5.4.2), which shows whether a server accepts a peer: it
 * answers a known key and ignores an unknown one. This detects a usable peer at once, without listing ten thousand peers.
 */
export interface PeerKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** In WireGuard's own format. */
  readonly publicBase64: string;
}

export function newPeerKeys(): PeerKeys {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  return { privateKey, publicKey, publicBase64: raw(publicKey).toString('base64') };
}

/** Sends a handshake every millisecond until the server answers; resolves with the time of the answer (performance.now()). */
export function waitForAnswer(
  keys: PeerKeys,
  server: { host: string; port: number; publicBase64: string },
  timeoutMs = 30_000,
): Promise<number> {
  return new Promise((done, failed) => {
    const socket = createSocket(server.host.includes(':') ? 'udp6' : 'udp4');
    const end = (action: () => void) => {
      clearInterval(sending);
      clearTimeout(timer);
      socket.close();
      action();
    };
    socket.once('message', (message) => {
      const now = performance.now();
      if (message[0] === 2 || message[0] === 3) end(() => done(now));
    });
    socket.once('error', (error) => end(() => failed(error)));
    const send = () => socket.send(initiation(keys, server.publicBase64), server.port, server.host, () => {});
    const sending = setInterval(send, 1);
    const timer = setTimeout(() => end(() => failed(new Error('The server did not answer the handshake'))), timeoutMs);
    send();
  });
}

const CONSTRUCTION = hash(Buffer.from('Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s'));
const IDENTIFIER = Buffer.from('WireGuard v1 zx2c4 Jason@zx2c4.com');

function initiation(keys: PeerKeys, serverBase64: string): Buffer {
  const server = Buffer.from(serverBase64, 'base64');
  const serverKey = publicKeyFrom(server);
  const ephemeral = generateKeyPairSync('x25519');
  const ephemeralPublic = raw(ephemeral.publicKey);

  let chain = kdf(CONSTRUCTION, ephemeralPublic)[0];
  let transcript = hash(hash(hash(CONSTRUCTION, IDENTIFIER), server), ephemeralPublic);
  let key: Buffer;
  [chain, key] = kdf(chain, diffieHellman({ privateKey: ephemeral.privateKey, publicKey: serverKey }));
  const sealedStatic = seal(key, raw(keys.publicKey), transcript);
  transcript = hash(transcript, sealedStatic);
  [, key] = kdf(chain, diffieHellman({ privateKey: keys.privateKey, publicKey: serverKey }));
  const sealedTime = seal(key, tai64n(), transcript);

  const message = Buffer.concat([Buffer.from([1, 0, 0, 0, 1, 0, 0, 0]), ephemeralPublic, sealedStatic, sealedTime]);
  const mac1 = blake2s(message, hash(Buffer.from('mac1----'), server), 16);
  return Buffer.concat([message, mac1, Buffer.alloc(16)]);
}

function hash(...parts: Buffer[]): Buffer {
  const digest = createHash('blake2s256');
  for (const part of parts) digest.update(part);
  return digest.digest();
}

function kdf(key: Buffer, input: Buffer): [Buffer, Buffer] {
  const hmac = (secret: Buffer, data: Buffer) => createHmac('blake2s256', secret).update(data).digest();
  const secret = hmac(key, input);
  const first = hmac(secret, Buffer.from([1]));
  return [first, hmac(secret, Buffer.concat([first, Buffer.from([2])]))];
}

function seal(key: Buffer, plain: Buffer, additional: Buffer): Buffer {
  const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 });
  cipher.setAAD(additional, { plaintextLength: plain.length });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function tai64n(): Buffer {
  const now = BigInt(Date.now());
  const stamp = Buffer.alloc(12);
  stamp.writeBigUInt64BE(0x400000000000000an + now / 1000n);
  stamp.writeUInt32BE(Number(now % 1000n) * 1_000_000, 8);
  return stamp;
}

function raw(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' }).subarray(-32);
}

function publicKeyFrom(bytes: Buffer): KeyObject {
  const header = Buffer.from('302a300506032b656e032100', 'hex');
  return createPublicKey({ key: Buffer.concat([header, bytes]), format: 'der', type: 'spki' });
}

/** Keys from WireGuard's own tools. */
export function peerKeysFrom(privateBase64: string): PeerKeys {
  const header = Buffer.from('302e020100300506032b656e04220420', 'hex');
  const der = Buffer.concat([header, Buffer.from(privateBase64, 'base64')]);
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey);
  return { privateKey, publicKey, publicBase64: raw(publicKey).toString('base64') };
}
