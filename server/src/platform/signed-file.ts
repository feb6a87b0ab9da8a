import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Clock } from './clock.ts';

/** Wraps a file in a signature: CMS SignedData in DER (RFC 5652). */
export type FileSigner = (content: Buffer) => Buffer;

const DATA = '1.2.840.113549.1.7.1';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const SIGNING_TIME = '1.2.840.113549.1.9.5';
const SHA256 = '2.16.840.1.101.3.4.2.1';
const RSA_WITH_SHA256 = '1.2.840.113549.1.1.11';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/**
 * `path`: a PEM file with the private key (RSA or ECDSA), its certificate, and the intermediate certificates. Throws if
 * one of them is missing or the certificate does not match the key.
 */
export function openFileSigner(path: string, clock: Clock): FileSigner {
  const pem = readFileSync(path, 'utf8');
  const key = createPrivateKey(pem);
  const chain = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (text) => new X509Certificate(text),
  );
  const own = chain.find((certificate) => certificate.checkPrivateKey(key));
  if (!own) throw new Error(`${path} has no certificate for its private key`);
  const isRsa = key.asymmetricKeyType === 'rsa';
  if (!isRsa && key.asymmetricKeyType !== 'ec') throw new Error(`${path}: only RSA and ECDSA keys are supported`);
  const digestAlgorithm = sequence(identifier(SHA256));
  const signatureAlgorithm = isRsa
    ? sequence(identifier(RSA_WITH_SHA256), tagged(0x05))
    : sequence(identifier(ECDSA_WITH_SHA256));

  return (content) => {
    // DER sorts the members of a set by their bytes; these are sorted already, by their length octets.
    const attributes = [
      attribute(CONTENT_TYPE, identifier(DATA)),
      attribute(SIGNING_TIME, tagged(0x17, utcTime(clock.now()))),
      attribute(MESSAGE_DIGEST, octets(createHash('sha256').update(content).digest())),
    ];
    const signer = sequence(
      integer(1),
      issuerAndSerial(own.raw),
      digestAlgorithm,
      tagged(0xa0, ...attributes),
      signatureAlgorithm,
      octets(sign('sha256', tagged(0x31, ...attributes), key)),
    );
    const signedData = sequence(
      integer(1),
      tagged(0x31, digestAlgorithm),
      sequence(identifier(DATA), tagged(0xa0, octets(content))),
      tagged(0xa0, ...chain.map(({ raw }) => raw)),
      tagged(0x31, signer),
    );
    return sequence(identifier(SIGNED_DATA), tagged(0xa0, signedData));
  };
}

function attribute(type: string, value: Buffer): Buffer {
  return sequence(identifier(type), tagged(0x31, value));
}

/** YYMMDDHHMMSSZ (RFC 5652 section 11.3), valid until 2049. */
function utcTime(time: Date): Buffer {
  return Buffer.from(`${time.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`);
}

/** Copied from the certificate, whose fields begin: version (optional), serial number, algorithm, issuer. */
function issuerAndSerial(certificate: Buffer): Buffer {
  const [content] = children(certificate) as [Buffer];
  const parts = children(content);
  const from = parts[0]?.[0] === 0xa0 ? 1 : 0;
  return sequence(parts[from + 2] as Buffer, parts[from] as Buffer);
}

function children(element: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = headerBytes(element); at < element.length; ) {
    const length = elementBytes(element.subarray(at));
    parts.push(element.subarray(at, at + length));
    at += length;
  }
  return parts;
}

function headerBytes(element: Buffer): number {
  const first = element[1] as number;
  return first < 0x80 ? 2 : 2 + (first & 0x7f);
}

function elementBytes(element: Buffer): number {
  const first = element[1] as number;
  return headerBytes(element) + (first < 0x80 ? first : element.readUIntBE(2, first & 0x7f));
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Math.ceil(length.toString(16).length / 2);
  const buffer = Buffer.alloc(1 + bytes);
  buffer[0] = 0x80 | bytes;
  buffer.writeUIntBE(length, 1, bytes);
  return buffer;
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function octets(bytes: Buffer): Buffer {
  return tagged(0x04, bytes);
}

function integer(value: number): Buffer {
  return tagged(0x02, Buffer.from([value]));
}

/** Object identifier: 40 times the first number plus the second, then the others in groups of seven bits. */
function identifier(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number) as [number, number, ...number[]];
  const bytes = [first * 40 + second, ...rest].flatMap((number) => {
    const groups = [number & 0x7f];
    for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift(0x80 | (left & 0x7f));
    return groups;
  });
  return tagged(0x06, Buffer.from(bytes));
}
