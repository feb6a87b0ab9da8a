import { API_BASE, publicEndpoints } from '@raha/contract/public/table.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestWorld, type TestWorld, unlimited } from '../world.ts';
import { type Belongings, openBelongings, requests, sendCall, type WireRequest } from './every-request.ts';

/**
 * Every text field of every call, replaced by hostile text: it is accepted as text or refused in Persian; nothing breaks,
 * nothing is echoed as markup, and what was accepted is served as data.
 */
const hostile: Readonly<Record<string, string>> = {
  'an image that runs': '<img src=x onerror=alert(1)>',
  'a script': '"><script>alert(1)</script>',
  'right-to-left override': '\u202egnp.elif\u202c',
  isolates: '\u2067\u2066\u2069\u200f\u200e',
  'ten thousand characters': 'آ'.repeat(10_000),
  emoji: '👨‍👩‍👧‍👦🏳️‍🌈🇮🇷',
  'Arabic letters': 'كيفية علي',
  'Persian digits': '۱۲۳۴۵۶',
  'Arabic digits': '١٢٣٤٥٦',
  'a statement': "'; DROP TABLE users; --",
  'the zero character': 'a\u0000b',
  'half a character': 'a\ud800b',
  'a formula': '=HYPERLINK("https://evil.example","x")',
  'a placeholder of ours': '%{brand}',
  'a path': '../../../etc/passwd',
  'lines and a header': 'a\r\nBcc: x@evil.example',
  nothing: '',
  blanks: ' \u00a0\u200c\u3000',
};
const PERSIAN = /[\u0600-\u06ff]{2}/;

let world: TestWorld;
let has: Belongings;

beforeAll(async () => {
  world = await openTestWorld({ overrides: { minuteLimit: unlimited } });
  has = await openBelongings(world);
});
afterAll(async () => {
  await world.proveLedger();
  await world.close();
});

test('every field of every call withstands it', { timeout: 300_000 }, async () => {
  const broken: unknown[] = [];
  let sent = 0;
  for (const [name, endpoint] of Object.entries(publicEndpoints)) {
    if (endpoint.caller === 'refresh') continue;
    // Wrong passwords among them must not make the owner wait.
    await sql`DELETE FROM failed_login`.execute(world.deps.db);
    const plain = (await requests[name as keyof typeof requests](has)) as WireRequest;
    for (const { field, change } of fieldsOf(plain)) {
      for (const [what, text] of Object.entries(hostile)) {
        sent += 1;
        const path = API_BASE + endpoint.path;
        const response = await sendCall(world.origin, endpoint.method, path, change(text), has.owner.token);
        const fault = await faultOf(response, text);
        if (fault) broken.push({ name, field, what, fault });
      }
    }
  }
  expect(broken).toEqual([]);
  expect(sent).toBeGreaterThan(800);
});

test('the ledger, the users and the owner are unchanged', async () => {
  await world.proveLedger();
  const { user } = await has.owner.api.me();
  expect(user.email).toBe(has.owner.email);
  expect((await has.owner.api.getWallet()).data.balance).toBeGreaterThan(0);
});

/** Each text of a request, with a function that puts another text in its place. */
function fieldsOf(request: WireRequest): { field: string; change: (text: string) => WireRequest }[] {
  return (['params', 'query', 'body'] as const).flatMap((part) =>
    Object.entries((request[part] ?? {}) as Record<string, unknown>)
      .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
      .map(([key]) => ({
        field: `${part}.${key}`,
        change: (text: string) => ({ ...request, [part]: { ...(request[part] as object), [key]: text } }),
      })),
  );
}

async function faultOf(response: Response, text: string): Promise<string | undefined> {
  // Longer than the 16 KB that a request's line and headers may have: the HTTP parser's own refusal.
  if (response.status === 431) return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (response.headers.get('x-content-type-options') !== 'nosniff') return 'may be sniffed';
  const body = await response.text();
  if (response.status >= 500) return `${response.status} ${body}`;
  if (type.startsWith('text/html') && text.includes('<') && body.includes(text)) return 'echoed as markup';
  if (response.status < 400 || !type.startsWith('application/json')) return undefined;
  const { message, request_id: requestId } = JSON.parse(body) as { message?: string; request_id?: string };
  if (!requestId || !message || !PERSIAN.test(message)) return `no sentence: ${body.slice(0, 200)}`;
  return text.length > 3 && message.includes(text) ? 'echoed' : undefined;
}
