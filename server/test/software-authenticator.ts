import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AssertionOptions,
  PasskeyAssertion,
  PasskeyRegistration,
  RegistrationOptions,
} from '@raha/contract/public/factors.ts';

/**
 * An authenticator and the browser around it, for tests: one passkey (ES256, attestation `none`), whose answers can be
 * wrong in every way that the server has to notice. Formats: W3C Web Authentication, sections 6.1 and 6.5.
 */
export class SoftwareAuthenticator {
  readonly #origin: string;
  readonly #key: { privateKey: KeyObject; publicKey: KeyObject };
  readonly #id = randomBytes(32);
  #userHandle = '';
  /** Counts signatures; 0 is kept as it is, as authenticators without a counter do. */
  counter: number;
  verifiesUser = true;

  constructor(origin: string, { counter = 1 } = {}) {
    this.#origin = origin.replace('127.0.0.1', 'localhost');
    this.counter = counter;
    this.#key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  }

  create(options: RegistrationOptions): PasskeyRegistration {
    this.#userHandle = options.user.id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const attested = Buffer.concat([Buffer.alloc(16), length, this.#id, this.#coseKey()]);
    const data = Buffer.concat([this.#authenticatorData(options.rp.id, 0x40), attested]);
    return {
      id: this.#id.toString('base64url'),
      rawId: this.#id.toString('base64url'),
      type: 'public-key',
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge),
        attestationObject: attestationObject(data).toString('base64url'),
        transports: ['internal'],
      },
      clientExtensionResults: {},
    };
  }

  /** `more` replaces what the browser signs. */
  get(
    options: AssertionOptions,
    more: { challenge?: string; origin?: string; userHandle?: string } = {},
  ): PasskeyAssertion {
    if (this.counter > 0) this.counter += 1;
    const data = this.#authenticatorData(options.rpId, 0);
    const clientData = this.#clientData('webauthn.get', more.challenge ?? options.challenge, more.origin);
    const hash = createHash('sha256').update(Buffer.from(clientData, 'base64url')).digest();
    return {
      id: this.#id.toString('base64url'),
      rawId: this.#id.toString('base64url'),
      type: 'public-key',
      response: {
        clientDataJSON: clientData,
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', Buffer.concat([data, hash]), this.#key.privateKey).toString('base64url'),
        userHandle: more.userHandle ?? this.#userHandle,
      },
      clientExtensionResults: {},
    };
  }

  #authenticatorData(rpId: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const present = 0x01 | (this.verifiesUser ? 0x04 : 0) | flags;
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([present]), counter]);
  }

  #clientData(type: string, challenge: string, origin = this.#origin): string {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false })).toString('base64url');
  }

  /** The map {1: 2, 3: -7, -1: 1, -2: x, -3: y} (RFC 9053, sections 2.1 and 7.1.1). */
  #coseKey(): Buffer {
    const { x = '', y = '' } = this.#key.publicKey.export({ format: 'jwk' });
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
    const middle = Buffer.from([0x22, 0x58, 0x20]);
    return Buffer.concat([head, Buffer.from(x, 'base64url'), middle, Buffer.from(y, 'base64url')]);
  }
}

/** The CBOR map {fmt: "none", attStmt: {}, authData: data}. */
function attestationObject(data: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);
  const length = Buffer.from([0x58, data.length]);
  return Buffer.concat([
    Buffer.from([0xa3]),
    ...[text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), length, data],
  ]);
}
