import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { Refusal } from './refusal.ts';

/**
 * argon2id with OWASP's minimum (the library's default variant; 19 MiB, two passes, one lane; ASVS 11.4.2). At most one
 * hash runs per core: a flood of requests queues here and is shed, and does not starve the rest of the server.
 *
 * Each kind of work has a queue of its own, and the queues are served in turn: a flood of one kind is shed without
 * holding up the others.
 */
const options = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 } as const;
const QUEUE_LENGTH = 50;
const slots = availableParallelism();

export type PasswordWork =
  /** Signing in from a device that the account has used before. */
  | 'known-device'
  /** Signing in from any other device. */
  | 'sign-in'
  /** Confirming the password within a session. */
  | 'session'
  /** A new password: registration, change, reset. */
  | 'new-password';

let running = 0;
const queues = new Map<PasswordWork, (() => void)[]>([
  ['known-device', []],
  ['session', []],
  ['sign-in', []],
  ['new-password', []],
]);
/** The kinds in the order in which they are served next; the one served moves to the end. */
const order = [...queues.keys()];

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
  if (running < slots) running += 1;
  else await waitInQueue(kind);
  try {
    return await work();
  } finally {
    const next = takeNext();
    // The slot passes directly to the next in line, so that a new request cannot overtake it.
    if (next) next();
    else running -= 1;
  }
}

function waitInQueue(kind: PasswordWork): Promise<void> {
  const queue = queues.get(kind) ?? [];
  if (queue.length >= QUEUE_LENGTH) throw new Refusal('unavailable', { retryAfterSeconds: 2 });
  return new Promise<void>((resolve) => queue.push(resolve));
}

function takeNext(): (() => void) | undefined {
  for (const kind of order) {
    const next = queues.get(kind)?.shift();
    if (!next) continue;
    order.push(...order.splice(order.indexOf(kind), 1));
    return next;
  }
  return undefined;
}
