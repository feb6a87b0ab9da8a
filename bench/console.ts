import { paymentGroups } from '@raha/contract/admin/payments.ts';
import { sql } from 'kysely';
import { openColleague } from '../server/test/staff.ts';
import type { TestWorld } from '../server/test/world.ts';
import type { People } from './people-database.ts';
import type { Figure, Say } from './run.ts';
import { percentile } from './statistics.ts';

const TURNS = 40;
const EVENTS = 90_000;

/** One thing that a member looks at: a path, and what is typed where it is a search. */
interface Look {
  readonly path: string;
  readonly text?: string;
}

/**
 * (l) What a member of staff waits for among many people: searches by each kind of text, the timeline of an account with a hundred thousand
 * events, and lists with their counts. On the clock, over HTTP, one at a time.
 */
export async function measureConsole({ world, size }: People, say: Say): Promise<Figure[]> {
  const { browser } = await openColleague(world, 'super_admin');
  const { id, email, middle } = await fillTimeline(world);
  const timeline = `/admin/people/${id}/timeline`;
  const groups: readonly { readonly what: string; readonly atMost: number; readonly looks: readonly Look[] }[] = [
    {
      what: 'search of people, slowest p95',
      atMost: 100,
      looks: [email, email.slice(0, 8), 'mail.example', 'nobody', '0912', id, id.slice(0, 8)].map((text) => {
        return { path: '/admin/people/search', text };
      }),
    },
    {
      what: `timeline of ${EVENTS + 10_000} events, slowest p95`,
      atMost: 200,
      looks: [{ path: timeline }, { path: `${timeline}?before=${middle}` }, { path: `${timeline}?kind=money` }],
    },
    {
      what: 'lists of the console with their counts, slowest p95',
      atMost: 200,
      looks: [
        ...paymentGroups.map((group) => `/admin/payments?group=${group}`),
        ...['/admin/refunds', '/admin/audit', '/admin/gift-cards', '/admin/alerts', '/admin/today', '/admin/nodes'],
        ...['/admin/reconciliation/differences', `/admin/people/${id}`],
      ].map((path) => ({ path })),
    },
  ];
  const figures: Figure[] = [];
  for (const { what, atMost, looks } of groups) {
    let slowest = 0;
    for (const look of looks) {
      const times = await measureLook(browser, look);
      const [p50, p95] = [percentile(times, 50), percentile(times, 95)];
      const name = look.text === undefined ? look.path : `${look.path} "${look.text}"`;
      say(`  ${String(size).padStart(8)}  ${name.padEnd(90)} p50 ${p50.toFixed(1)} p95 ${p95.toFixed(1)} ms`);
      slowest = Math.max(slowest, p95);
    }
    figures.push({ part: 'l', what, value: slowest, unit: 'ms', aim: { atMost } });
  }
  return figures;
}

type Browser = Awaited<ReturnType<typeof openColleague>>['browser'];

async function measureLook(browser: Browser, { path, text }: Look): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < TURNS + 2; turn += 1) {
    const start = performance.now();
    const { status, body } = await browser.call(
      text === undefined ? 'GET' : 'POST',
      path,
      text === undefined ? undefined : { text },
    );
    if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`);
    // The first ones fill what a process and a connection keep.
    if (turn >= 2) times.push(performance.now() - start);
  }
  return times;
}

/** The user with the most payments, who signs in and is told of something every quarter of an hour. */
async function fillTimeline({ deps: { db, clock } }: TestWorld) {
  const now = clock.now();
  const { rows } = await sql<{ id: string; email: string }>`
    SELECT u.id, u.email FROM users u JOIN (
      SELECT user_id FROM payment GROUP BY user_id ORDER BY count(*) DESC LIMIT 1
    ) p ON p.user_id = u.id
  `.execute(db);
  const user = rows[0];
  if (!user) throw new Error('Nobody has paid.');
  await sql`
    INSERT INTO notification (id, user_id, kind, cause, data, created_at)
      SELECT uuidv7(at - clock_timestamp()), ${user.id}, 'transfer_received', 'bench ' || k, '{"amountToman": 10000}', at
      FROM generate_series(1, ${EVENTS / 2}::integer) k, LATERAL (SELECT ${now}::timestamptz - make_interval(mins => 15 * k) AS at) t
  `.execute(db);
  await sql`
    INSERT INTO session (id, user_id, generation, created_at, last_used_at, expires_at, ended_at, end_reason)
      SELECT uuidv7(at - clock_timestamp()), ${user.id}, 1, at, at, at + interval '7 days', at + interval '1 day', 'logout'
      FROM generate_series(1, ${EVENTS / 2}::integer) k, LATERAL (SELECT ${now}::timestamptz - make_interval(mins => 15 * k + 2880) AS at) t
  `.execute(db);
  // The written people have paid everything; PostgreSQL plans lists by what there is of each gateway and state.
  await sql`
    INSERT INTO payment (id, user_id, gateway, amount_toman, state, gateway_reference, evidence, created_at, settled_at)
      SELECT uuidv7(at - clock_timestamp()), ${user.id}, (ARRAY['zarinpal', 'idpay', 'nextpay'])[1 + k % 3], 50000,
        CASE WHEN k % 2 = 0 THEN 'failed' ELSE 'cancelled' END, 'bench ' || k, '{}', at, at
      FROM generate_series(1, 3000) k, LATERAL (SELECT ${now}::timestamptz - make_interval(hours => 6 * k) AS at) t
  `.execute(db);
  await sql`ANALYZE notification, session, payment`.execute(db);
  return { ...user, middle: new Date(now.getTime() - (15 * 60_000 * EVENTS) / 4).toISOString() };
}
