import { randomBytes, randomFillSync, randomInt } from 'node:crypto';

/** The server's only source of randomness: the operating system's CSPRNG. */

/**
 * UUIDv7 (RFC 9562, section 5.7): 48 bits of Unix milliseconds, then random bits. Made by the application, so that a
 * row's id is known before it is stored and a retry is the same row.
 */
export function newId(now: Date): string {
  return idOf(now, takeBytes());
}

/** The generator is asked once for many ids: it costs as much for one as for all of these. */
const ID_BYTES = 16;
const ids = Buffer.alloc(256 * ID_BYTES);
let taken = ids.length;

function takeBytes(): Buffer {
  if (taken === ids.length) {
    randomFillSync(ids);
    taken = 0;
  }
  taken += ID_BYTES;
  return ids.subarray(taken - ID_BYTES, taken);
}

/** No id made at this time or later is smaller. */
export function firstIdOf(time: Date): string {
  return idOf(time, Buffer.alloc(16));
}

/** Whether a text has the form of an id, and may be compared with an id column. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}

function idOf(now: Date, bytes: Buffer): string {
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** 256 random bits in base64url: session tokens, enrolment tokens. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function newDigits(count: number): string {
  return String(randomInt(0, 10 ** count)).padStart(count, '0');
}

export function newBytes(count: number): Buffer {
  return randomBytes(count);
}
