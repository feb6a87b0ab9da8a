import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { Refusal } from './refusal.ts';

/**
 * argon2id with OWASP's minimum (the library's default variant; 19 MiB, two passes, one lane; ASVS 11.4.2), at most one at a time per core: a storm of
 * sign-ins waits here and is shed, it does not starve the rest of the server.
 */
const options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;
const QUEUE = 50;
const slots = availableParallelism();

let running = 0;
const waiting: (() => void)[] = [];

export async function hashPassword(password: string): Promise<string> {
  return await withSlot(() => hash(password.normalize('NFC'), options));
}

/**
 * Whether a password fits. Without a stored hash the same work is done on a dummy one, so that an unknown address takes
 * as long as a known one.
 */
export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  const matches = await withSlot(() => verify(stored ?? DUMMY, password.normalize('NFC')));
  return matches && Boolean(stored);
}

/** Of a random password that nobody knows. */
const DUMMY = '$argon2id$v=19$m=19456,t=2,p=1$5i67scbr/2HQ5NpRbSwwIA$oT+GEPFKcR0if1OHPxmQfUImTK/+/OYx3jlRZFCIi2Y';

async function withSlot<T>(work: () => Promise<T>): Promise<T> {
  if (running >= slots) {
    if (waiting.length >= QUEUE) throw new Refusal('unavailable', { retryAfterSeconds: 2 });
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}
