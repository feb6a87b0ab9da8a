import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';
import { addDays } from './clock.ts';
import { newBytes } from './random.ts';

/**
 * Our own X.509 certificates (RFC 5280): a certificate authority with an ECDSA P-256 key, and the certificates that it
 * issues. Keys and certificates are PEM.
 */
export interface CertificateAuthority {
  readonly certificate: string;
  readonly privateKey: string;
}

/** The library's own names: with a browser's types in scope, `CryptoKeyPair` is another type to the compiler. */
type KeyPair = NonNullable<x509.X509CertificateCreateSelfSignedParams['keys']>;
type Key = KeyPair['privateKey'];

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const RSA = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const;
const RSA_BITS: readonly unknown[] = [3072, 4096];
/** Some IKE clients require it beside serverAuth (draft-ietf-ipsec-pki-req-05 section 4.1.3). */
const IKE_INTERMEDIATE = '1.3.6.1.5.5.8.2.2';
/** Certificates are valid from yesterday, because the clocks of devices may be slow. */
const BACKDATED_DAYS = 1;

x509.cryptoProvider.set(webcrypto as never);

/** A certificate authority that may issue certificates to servers and devices, but not to other authorities. */
export async function createCertificateAuthority(
  commonName: string,
  now: Date,
  days: number,
): Promise<CertificateAuthority> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerial(),
    name: [{ CN: [commonName] }],
    ...validity(now, days),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: certificate.toString('pem'), privateKey: await exportPrivateKey(keys.privateKey) };
}

export interface CertificateOrder {
  readonly commonName: string;
  /** SubjectPublicKeyInfo in base64. Throws if it is not a key of this kind. */
  readonly publicKey: string;
  readonly key: KeyKind;
  readonly usage: 'server' | 'client';
  readonly days: number;
  /** The names and IP addresses that clients verify the server by. */
  readonly names?: readonly string[];
}

/** ECDSA P-256, or RSA of 3072 or 4096 bits. */
export type KeyKind = 'ecdsa' | 'rsa';

export async function certify(authority: CertificateAuthority, order: CertificateOrder, now: Date): Promise<string> {
  const issuer = new x509.X509Certificate(authority.certificate);
  const publicKey = await importPublicKey(order.publicKey, order.key);
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const usages =
    order.usage === 'server' ? [serverAuth, ...(order.key === 'rsa' ? [IKE_INTERMEDIATE] : [])] : [clientAuth];
  const names = (order.names ?? []).flatMap(alternativeNames);
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: newSerial(),
    subject: [{ CN: [order.commonName] }],
    issuer: issuer.subject,
    ...validity(now, order.days),
    publicKey,
    signingKey: await importPrivateKey(authority.privateKey),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(usages),
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return certificate.toString('pem');
}

export async function newCertificateKeys(): Promise<{ publicKey: string; privateKey: string }> {
  const keys = await generateKeys();
  const spki = Buffer.from(await webcrypto.subtle.exportKey('spki', keys.publicKey));
  return { publicKey: spki.toString('base64'), privateKey: await exportPrivateKey(keys.privateKey) };
}

/** An IP address goes in twice: some clients look for it among the addresses, others among the names. */
function alternativeNames(name: string): { type: 'dns' | 'ip'; value: string }[] {
  return isIP(name) > 0
    ? [
        { type: 'ip', value: name },
        { type: 'dns', value: name },
      ]
    : [{ type: 'dns', value: name }];
}

/** Whether this is the SubjectPublicKeyInfo, in base64, of a key that can be certified. */
export async function isCertifiableKey(publicKey: string, kind: KeyKind): Promise<boolean> {
  return await importPublicKey(publicKey, kind).then(
    () => true,
    () => false,
  );
}

function validity(now: Date, days: number) {
  return { notBefore: addDays(now, -BACKDATED_DAYS), notAfter: addDays(now, days) };
}

/** RFC 5280 requires a positive number of at most 20 octets. */
function newSerial(): string {
  const bytes = newBytes(16);
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

async function generateKeys(): Promise<KeyPair> {
  return (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as KeyPair;
}

async function exportPrivateKey(key: Key): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY');
}

async function importPrivateKey(pem: string): Promise<Key> {
  const pkcs8 = x509.PemConverter.decodeFirst(pem);
  return (await webcrypto.subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign'])) as Key;
}

async function importPublicKey(publicKey: string, kind: KeyKind): Promise<Key> {
  const spki = Buffer.from(publicKey, 'base64');
  const algorithm = kind === 'rsa' ? RSA : ALGORITHM;
  const key = (await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify'])) as Key;
  const bits = (key.algorithm as { modulusLength?: number }).modulusLength;
  if (kind === 'rsa' && !RSA_BITS.includes(bits)) throw new Error(`an RSA key of ${bits} bits is not certified`);
  return key;
}
