import { createCipheriv, createECDH, type ECDH, hkdfSync } from 'node:crypto';
import type { PushSubscription } from '../../platform/push.ts';
import { newBytes } from '../../platform/random.ts';

const RECORD_BYTES = 4096;
/** What padding begins with in the last record (RFC 8188, section 2). */
const LAST_RECORD = Buffer.of(2);

/**
 * A message as only the browser can read it: `aes128gcm` (RFC 8188) with keys agreed on by ECDH (RFC 8291). `ours` and `salt` are
 * used once; tests pass those of the RFC's example. Throws if the browser's key is no point of the curve.
 */
export function encryptForBrowser(
  text: string,
  to: Pick<PushSubscription, 'p256dh' | 'auth'>,
  ours: ECDH = newPair(),
  salt: Buffer = newBytes(16),
): Buffer {
  const theirs = Buffer.from(to.p256dh, 'base64url');
  const sender = ours.getPublicKey();
  const secret = expand(
    ours.computeSecret(theirs),
    Buffer.from(to.auth, 'base64url'),
    Buffer.concat([Buffer.from('WebPush: info\0'), theirs, sender]),
    32,
  );
  const key = expand(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = expand(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const body = Buffer.concat([
    cipher.update(text, 'utf8'),
    cipher.update(LAST_RECORD),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(sender.length, 4);
  return Buffer.concat([salt, head, sender, body]);
}

function newPair(): ECDH {
  const pair = createECDH('prime256v1');
  pair.generateKeys();
  return pair;
}

function expand(secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, length));
}
