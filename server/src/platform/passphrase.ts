import { createCipheriv, createDecipheriv, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { newBytes } from './random.ts';

/**
 * Encrypts files that leave the machine under a passphrase: scrypt (RFC 7914) with N = 2¹⁷, r = 8, p = 1, then
 * AES-256-GCM. The parameters are stored in the file and authenticated with it.
 */
const KDF = { name: 'scrypt', n: 2 ** 17, r: 8, p: 1 } as const;
const MAX_MEMORY = 256 * 1024 * 1024;
const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

export class WrongPassphrase extends Error {
  override readonly name = 'WrongPassphrase';
}

export async function sealFile(content: string, kind: string, passphrase: string): Promise<string> {
  const head = { kind, version: 1, kdf: { ...KDF, salt: newBytes(16).toString('base64') } };
  const nonce = newBytes(12);
  const cipher = createCipheriv('aes-256-gcm', await keyOf(passphrase, head.kdf.salt), nonce).setAAD(
    Buffer.from(JSON.stringify(head)),
  );
  const body = Buffer.concat([cipher.update(content, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${JSON.stringify({ ...head, nonce: nonce.toString('base64'), data: body.toString('base64') })}\n`;
}

/** Throws `WrongPassphrase` when the passphrase, the kind or a single byte of the file is wrong. */
export async function openFile(file: string, kind: string, passphrase: string): Promise<string> {
  try {
    const parsed = JSON.parse(file) as { kdf: { salt: string }; nonce: string; data: string };
    const head = { kind, version: 1, kdf: { ...KDF, salt: parsed.kdf.salt } };
    const body = Buffer.from(parsed.data, 'base64');
    const decipher = createDecipheriv(
      'aes-256-gcm',
      await keyOf(passphrase, parsed.kdf.salt),
      Buffer.from(parsed.nonce, 'base64'),
    )
      .setAAD(Buffer.from(JSON.stringify(head)))
      .setAuthTag(body.subarray(-16));
    return Buffer.concat([decipher.update(body.subarray(0, -16)), decipher.final()]).toString('utf8');
  } catch {
    throw new WrongPassphrase('The passphrase is wrong, or this is not a file of that kind.');
  }
}

async function keyOf(passphrase: string, salt: string): Promise<Buffer> {
  const { n: N, r, p } = KDF;
  return await derive(passphrase.normalize('NFKC'), Buffer.from(salt, 'base64'), 32, { N, r, p, maxmem: MAX_MEMORY });
}
