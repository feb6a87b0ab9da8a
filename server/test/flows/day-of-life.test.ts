import { isPermitted, type StaffRole, staffRoles } from '@raha/contract/admin/roles.ts';
import { cookies, type Recipient, sentFields } from '@raha/contract/privacy.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Canary, dumpEverything, findCanaries, type StoredValue } from '../canaries.ts';
import { liveThroughDay } from '../day-of-life.ts';
import { keptColumns } from '../kept-columns.ts';
import { collectStaffAnswers, readsLeftOut } from '../staff-answers.ts';

/**
 * After a day of the service, every value of every table: nothing that opens an account, moves money, reads traffic or names
 * somebody who left may stand there in clear, nor in the log.
 */
let day: Awaited<ReturnType<typeof liveThroughDay>>;
let dump: StoredValue[];
/** Numbers and times of other hours and faults, which the day may lack. */
const ONLY_NUMBERS = [
  'exchange_rate',
  'meter_epoch',
  'node_anomaly',
  'payment_reversal',
  'price_segment',
  'usage_hour',
  'usage_sum',
];
/** As a code of six digits looks. */
const CODE = '739215';

beforeAll(async () => {
  day = await liveThroughDay();
  dump = await dumpEverything(day.world);
}, 120_000);
afterAll(() => day.close());

/** What only a living account has in clear, and where: these columns say who the users are. */
const living: Readonly<Record<string, readonly string[]>> = {
  'address of a user': [
    // By which it is found, and mailed.
    'public.users.email',
    // Codes and failures of a day, counted by address.
    ...['public.email_challenge.email', 'public.email_challenge.canonical_email', 'public.failed_login.email'],
  ],
  'number of a user': ['public.users.phone', 'public.phone_challenge.phone'],
};

const asCanaries = (): Canary[] => [...day.canaries].map(([value, what]) => ({ value, what }));

describe('what the privacy page lists', () => {
  test('every column of every table belongs to a sentence of the page, or says nothing of a user', async () => {
    const { rows } = await sql<{ table: string; column: string }>`
      SELECT table_name AS table, column_name AS column FROM information_schema.columns c
      JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'kysely%'
    `.execute(day.world.deps.db);
    const listed = Object.values(keptColumns).flatMap((tables) =>
      Object.entries(tables).flatMap(([table, columns]) => columns.split(' ').map((column) => `${table}.${column}`)),
    );
    const real = rows.map(({ table, column }) => `${table}.${column}`);
    expect(real.filter((column) => !listed.includes(column))).toEqual([]);
    expect(listed.filter((column) => !real.includes(column))).toEqual([]);
  });

  test('every cookie is among those, and lives no longer', () => {
    const longer = [...day.cookieSeconds].filter(([name, seconds]) => seconds > (cookies[name]?.seconds ?? -1));
    expect(longer).toEqual([]);
    // The language is written by the page itself.
    expect([...day.cookieSeconds.keys()].sort()).toEqual(
      Object.keys(cookies)
        .filter((name) => name !== 'locale')
        .sort(),
    );
  });

  test('banks, stores, push services and the sender of text messages get no other field', () => {
    for (const recipient of Object.keys(sentFields) as Recipient[]) {
      const others = [...day.sent[recipient]].filter((field) => sentFields[recipient][field] === undefined);
      expect({ recipient, others }).toEqual({ recipient, others: [] });
    }
    expect([...day.sent.store].sort()).toEqual(Object.keys(sentFields.store).sort());
    expect([...day.sent.push_service].sort()).toEqual(Object.keys(sentFields.push_service).sort());
    expect([...day.sent.text_message].sort()).toEqual(Object.keys(sentFields.text_message).sort());
    expect(day.sent.bank.size).toBeGreaterThan(10);
  });
});

describe('a dump after a day', () => {
  test('the day issued everything that can be issued, and wrote to every table', () => {
    const kinds = new Set(day.canaries.values());
    expect([...kinds].sort()).toMatchInlineSnapshot(`
      [
        "address of somebody who left",
        "address or key of a browser",
        "batch that waits for its export",
        "code by mail",
        "code by text message",
        "code of a social sign-in",
        "code of the app",
        "cookie auth_token",
        "cookie device",
        "cookie family",
        "cookie refreshToken",
        "cookie second_step",
        "cookie social",
        "cookie staff_session",
        "cookie staff_sign_in",
        "gift card",
        "gift card from a store",
        "key of a config",
        "link by mail",
        "link in a mail’s head",
        "master key",
        "number of somebody who left",
        "password",
        "recovery code",
        "recovery_codes of an answer",
        "redirect_url of an answer",
        "secret of a config",
        "secret of a social sign-in",
        "secret of a store",
        "secret of an answer",
        "token of a family link",
        "token of a request",
        "token of an answer",
        "token of enrolment",
        "uri of an answer",
      ]
    `);
    const empty = dump.filter(({ column }) => column === '').map(({ table }) => table.replace('public.', ''));
    expect(empty.filter((table) => !table.startsWith('pgboss.') && !ONLY_NUMBERS.includes(table))).toEqual([]);
  });

  test('no code, link, token or key in clear, and nobody who left', () => {
    expect(findCanaries(dump, asCanaries())).toEqual([]);
    // Of every form, whether collected or not.
    const forms = /PRIVATE KEY|OpenVPN Static key|otpauth:|whsec_|eyJ[\w-]{10,}\.eyJ/;
    expect(dump.filter(({ text }) => forms.test(text))).toEqual([]);
  });

  test('addresses and numbers of living users stand where they are needed, and nowhere else', async () => {
    const { rows } = await sql<{ email: string; phone: string | null }>`
      SELECT email, phone FROM users WHERE status <> 'deleted'
    `.execute(day.world.deps.db);
    const people = rows.flatMap(({ email, phone }) => [
      { what: 'address of a user', value: email },
      ...(phone === null ? [] : [{ what: 'number of a user', value: phone }]),
    ]);
    const seen = findCanaries(dump, people).filter(({ what, column }) => !living[what]?.includes(column));
    expect(seen).toEqual([]);
  });

  test('nor in anything that a member of staff is shown, as a page or as a file', async () => {
    expect(readsLeftOut()).toEqual([]);
    const { rows } = await sql<{ email: string; phone: string | null }>`
      SELECT email, phone FROM users WHERE id NOT IN (SELECT user_id FROM staff_member)
    `.execute(day.world.deps.db);
    const contacts = rows.flatMap(({ email, phone }) => [email, ...(phone === null ? [] : [phone])]);
    const canaries = [...asCanaries(), ...contacts.map((value) => ({ value, what: 'contact of a user' }))];
    const shown = await collectStaffAnswers(day.world);
    expect(new Set(shown.map(({ table }) => table)).size).toBe(staffRoles.length);
    expect(shown.length).toBeGreaterThan(1_000);
    expect(findCanaries(shown, canaries)).toEqual([]);
    // Who does not see configs does not read of them elsewhere either.
    const configs = await sql<{ name: string }>`SELECT DISTINCT name FROM config WHERE length(name) > 6`.execute(
      day.world.deps.db,
    );
    const blind = shown.filter(
      ({ table, column }) =>
        !isPermitted(table as StaffRole, 'configs.read') && /^(getUserFacts|readTimeline|searchPeople)$/.test(column),
    );
    expect(blind.filter(({ text }) => configs.rows.some(({ name }) => text.includes(name)))).toEqual([]);
    const audited = (await dumpEverything(day.world)).filter(({ table }) => table === 'public.audit_entry');
    expect(findCanaries(audited, canaries)).toEqual([]);
  }, 120_000);

  test('nor in the log', () => {
    const logged = day.lines.map((text) => ({ table: 'log', column: 'line', text }));
    expect(day.lines.length).toBeGreaterThan(10);
    expect(findCanaries(logged, asCanaries())).toEqual([]);
    expect(day.lines.filter((line) => line.includes('@mail.example'))).toEqual([]);
  });

  test('a canary is found wherever it is put, in whatever form', async () => {
    const value = 'KT7R-PLANTED-CANARY-2J4M';
    const forms = [
      ...[value, value.toLowerCase(), value.replaceAll('-', ''), Buffer.from(`ab${value}c`).toString('base64')],
      ...[
        Buffer.from(value).toString('hex'),
        Buffer.from(`x${value}`).toString('base64url'),
        JSON.stringify({ a: [value] }),
      ],
    ];
    const planted = forms.map((form) => JSON.stringify({ planted: form }));
    await sql`
      INSERT INTO pgboss.job (name, data, start_after) SELECT 'mail.send', unnest(${planted}::jsonb[]), now() + interval '1 hour'
    `.execute(day.world.deps.db);
    await sql`INSERT INTO setting VALUES ('planted', ${JSON.stringify(`code: ${CODE}.`)}::jsonb, now())`.execute(
      day.world.deps.db,
    );
    const seen = findCanaries(await dumpEverything(day.world), [
      { what: 'text', value },
      { what: 'code', value: CODE },
    ]);
    expect(
      seen.filter(({ what, column }) => what === 'text' && column === 'pgboss.job.data').length,
    ).toBeGreaterThanOrEqual(forms.length);
    expect(seen).toContainEqual(expect.objectContaining({ what: 'code', column: 'public.setting.value' }));
  });
});
