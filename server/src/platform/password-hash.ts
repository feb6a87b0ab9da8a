import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { createFairQueue } from './fair-queue.ts';

/**
 * argon2id with OWASP's minimum (the library's default variant; 19 MiB, two passes, one lane; ASVS 11.4.2). At most one
 * hash runs per core: a flood of requests queues here, by kind of work, and is shed; it does not starve the rest of the
 * server.
 */
const options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;
const QUEUE_LENGTH = 50;

export type PasswordWork =
  /** Signing in from a device that the account has used before. */
  | 'known-device'
  /** Signing in from any other device. */
  | 'sign-in'
  /** Confirming the password within a session. */
  | 'session'
  /** A new password: registration, change, reset. */
  | 'new-password';

const queue = createFairQueue<PasswordWork>(availableParallelism(), QUEUE_LENGTH);

export async function hashPassword(password: string): Promise<string> {
  return await withSlot('new-password', () => hash(password.normalize('NFC'), options));
}

/**
 * Whether a password matches. Without a stored hash, a dummy one is verified, so that an unknown address takes as long as
 * a known one.
 */
export async function verifyPassword(
  stored: string | null | undefined,
  password: string,
  work: Exclude<PasswordWork, 'new-password'>,
): Promise<boolean> {
  const matches = await withSlot(work, () => verify(stored ?? DUMMY, password.normalize('NFC')));
  return matches && Boolean(stored);
}

/** The hash of a random password that nobody knows. */
const DUMMY = '$argon2id$v=19$m=19456,t=2,p=1$5i67scbr/2HQ5NpRbSwwIA$oT+GEPFKcR0if1OHPxmQfUImTK/+/OYx3jlRZFCIi2Y';

async function withSlot<T>(kind: PasswordWork, work: () => Promise<T>): Promise<T> {
  const leave = await queue.enter(kind);
  try {
    return await work();
  } finally {
    leave();
  }
}
