import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/platform/database.ts';
import { sendEmail } from '../../src/platform/email.ts';
import { eventually, openTestWorld, type TestWorld } from '../world.ts';

/** Queued emails carry codes and links that open accounts; a dump of the database must not (audit S8). */
let world: TestWorld;
let isDown = false;

beforeAll(async () => {
  world = await openTestWorld({
    overrides: {
      mailer: {
        send: async (mail) => {
          if (isDown) throw new Error(`550 no such mailbox: ${mail.to}`);
          world.mails.push(mail);
        },
      },
    },
  });
});
afterAll(() => world.close());

async function storedJobs(): Promise<string[]> {
  const { rows } = await sql<{ row: string }>`SELECT to_jsonb(j)::text AS row FROM pgboss.job j`.execute(world.deps.db);
  return rows.map(({ row }) => row);
}

describe('S8 what the queue keeps', () => {
  test('a queued job shows neither address nor content, and is removed when it is done', async () => {
    isDown = true;
    const email = 'canary-one@mail.example';
    await world.client().sendVerificationCode({ body: { email } });
    // Attempted at least once: the mail server's error, which names the address, is not kept either.
    const rows = await eventually(async () => {
      const found = await storedJobs();
      return found.some((row) => row.includes('"state": "retry"')) ? found : undefined;
    });
    expect(rows.join('\n')).not.toMatch(/canary-one|mail\.example|\b\d{6}\b<|subject": "[^"]*\s/);
    isDown = false;
    await eventually(async () => ((await storedJobs()).length === 0 ? true : undefined), 60_000);
    expect(world.mails.some(({ to }) => to === email)).toBe(true);
  });

  test('queued jobs for an account are deleted with the account', async () => {
    const user = await world.user({ usdCents: 0 });
    await eventually(async () => ((await storedJobs()).length === 0 ? true : undefined), 60_000);
    isDown = true;
    await world.client().forgotPassword({ body: { email: user.email } });
    // Until it is done, the job of the link could still queue its mail, as the account is not deleted here.
    await eventually(async () => {
      const names = (await storedJobs()).map((row) => JSON.parse(row).name);
      return names.includes('mail.send') && !names.includes('password.forgot') ? true : undefined;
    }, 60_000);
    await inTransaction(world.deps.db, (tx) =>
      world.deps.jobs.send(tx, sendEmail, {
        to: user.email,
        subject: 's',
        text: 't',
        html: 'h',
        about: { kind: 'other' },
      }),
    );
    await inTransaction(world.deps.db, (tx) => world.deps.jobs.forget(tx, user.email));
    const left = await storedJobs();
    isDown = false;
    expect(left.filter((row) => row.includes('"name": "mail.send"'))).toEqual([]);
  });

  test('so is one that the queue deletes and inserts again at that moment, because it failed', async () => {
    // One that a worker still has would be inserted again, too.
    await eventually(async () => ((await storedJobs()).length === 0 ? true : undefined), 60_000);
    const about = { kind: 'other' } as const;
    const mail = { to: 'canary-two@mail.example', subject: 's', text: 't', html: 'h', about };
    await inTransaction(world.deps.db, async (tx) => {
      await world.deps.jobs.send(tx, sendEmail, mail);
      // No worker takes it.
      await sql`UPDATE pgboss.job SET start_after = now() + interval '1 hour' WHERE name = 'mail.send'`.execute(tx);
    });
    const queue = new pg.Client(world.deps.databaseUrl);
    await queue.connect();
    await queue.query(`BEGIN; WITH gone AS (DELETE FROM pgboss.job WHERE name = 'mail.send' RETURNING *)
      INSERT INTO pgboss.job SELECT * FROM gone`);
    const forgotten = inTransaction(world.deps.db, (tx) => world.deps.jobs.forget(tx, mail.to));
    await eventually(async () => {
      const { rows } =
        await sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'DELETE FROM pgboss.job%'
        AND datname = current_database()`.execute(world.deps.db);
      return rows.length > 0;
    });
    await queue.query('COMMIT');
    await queue.end();
    await forgotten;
    expect((await storedJobs()).filter((row) => row.includes('"name": "mail.send"'))).toEqual([]);
  });

  test('a job that an earlier release left unsealed is still done', async () => {
    await sql`
      INSERT INTO pgboss.job (name, data)
      VALUES ('mail.send', ${JSON.stringify({ to: 'old@mail.example', subject: 's', text: 't', html: 'h' })}::jsonb)
    `.execute(world.deps.db);
    await eventually(() => world.mails.find(({ to }) => to === 'old@mail.example'));
  });
});
