import { randomBytes } from 'node:crypto';
import { API_BASE } from '@raha/contract/public/table.ts';

/**
 * Attackers, as a program of their own so that they take no time of the owners' clocks: each connection sends one request
 * after the other at sign-in, reset, registration or codes, half of them from one shared address and the others from
 * fifty. They know the owners' addresses. Prints how often each answer came, once its input ends.
 *
 *   node attack.ts <origin> <connections> <owner's address>…
 */
export const SHARED_ADDRESS = '203.0.113.1';

const [, script, origin = '', connections = '0', ...victims] = process.argv;
const answers = new Map<string, number>();
let isOver = false;

/** Requests of each kind; the n-th one of a connection. */
const kinds: readonly ((n: number) => readonly [path: string, body: object])[] = [
  (n) => ['/auth/login', { email: victimAt(n), password: `Wrong-horse-${n}` }],
  (n) =>
    n % 4 === 0
      ? ['/auth/forgot-password', { email: victimAt(n) }]
      : ['/auth/reset-password', { token: randomBytes(32).toString('base64url'), password: 'Other-horse-8' }],
  (n) => {
    const email = n % 2 === 0 ? victimAt(n) : `flood-${randomBytes(6).toString('hex')}@mail.example`;
    const password = 'Other-horse-8';
    return ['/auth/register', { name: 'مهاجم', email, password, password_confirmation: password }];
  },
  (n) =>
    n % 3 === 0
      ? ['/auth/send-verification-code', { email: victimAt(n) }]
      : ['/auth/verify-code', { email: victimAt(n), code: String(100_000 + n) }],
];

const victimAt = (n: number) => victims[n % victims.length] as string;

async function attack(connection: number): Promise<void> {
  const request = kinds[connection % kinds.length] as (typeof kinds)[number];
  const address = connection % 8 < 4 ? SHARED_ADDRESS : `198.51.100.${(connection % 50) + 1}`;
  for (let n = connection; !isOver; n += 1) {
    const [path, body] = request(n);
    const headers = {
      ...{ 'content-type': 'application/json', 'x-forwarded-for': address, 'sec-fetch-site': 'same-origin' },
      // A browser that no account knows, a new one every few requests.
      ...(n % 5 === 0
        ? {}
        : { cookie: `device=${String(connection).padStart(3, '0')}${String(n - (n % 5)).padStart(40, '0')}` }),
    };
    const response = await fetch(origin + API_BASE + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }).catch(() => undefined);
    await response?.arrayBuffer().catch(() => undefined);
    const answer = `${path} ${response?.status ?? 'none'}`;
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
}

if (script === import.meta.filename) {
  process.stdin.on('end', () => {
    isOver = true;
  });
  process.stdin.resume();
  await Promise.all(Array.from({ length: Number(connections) }, (_, connection) => attack(connection)));
  process.stdout.write(JSON.stringify(Object.fromEntries([...answers].sort())));
}
