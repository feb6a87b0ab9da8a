import { createCipheriv, createHmac } from 'node:crypto';
import { newBytes } from './random.ts';

/**
 * Keys of OpenVPN's tls-crypt-v2 (OpenVPN, doc/tls-crypt-v2.txt). Each device presents its key, wrapped for the server's
 * key; the server does not answer a device without one.
 */
const SERVER_KEY_BYTES = 128;
const CLIENT_KEY_BYTES = 256;
const TIMESTAMP = 1;

/** A server key in OpenVPN's file format. */
export function newTlsCryptServerKey(): string {
  return toFile('OpenVPN tls-crypt-v2 server key', newBytes(SERVER_KEY_BYTES));
}

/** A device's key, wrapped for this server key, in OpenVPN's file format. */
export function newTlsCryptClientKey(serverKey: string, now: Date): string {
  const server = fromFile(serverKey);
  const [encryptionKey, signingKey] = [server.subarray(0, 32), server.subarray(64, 96)];
  const key = newBytes(CLIENT_KEY_BYTES);
  const metadata = Buffer.alloc(9);
  metadata.writeUInt8(TIMESTAMP);
  metadata.writeBigUInt64BE(BigInt(Math.floor(now.getTime() / 1000)), 1);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(32 + key.length + metadata.length + 2);
  const tag = createHmac('sha256', signingKey).update(length).update(key).update(metadata).digest();
  const cipher = createCipheriv('aes-256-ctr', encryptionKey, tag.subarray(0, 16));
  const sealed = Buffer.concat([cipher.update(key), cipher.update(metadata), cipher.final()]);
  return toFile('OpenVPN tls-crypt-v2 client key', Buffer.concat([key, tag, sealed, length]));
}

function toFile(name: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${name}-----\n${lines.join('\n')}\n-----END ${name}-----\n`;
}

function fromFile(file: string): Buffer {
  const lines = file.split('\n').filter((line) => !line.startsWith('-----'));
  const bytes = Buffer.from(lines.join(''), 'base64');
  if (bytes.length !== SERVER_KEY_BYTES) throw new Error('not a tls-crypt-v2 server key');
  return bytes;
}
