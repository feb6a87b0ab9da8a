import type { AlertSeverity } from '@raha/contract/admin/alert-rules.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';
import { inBatches } from '../../platform/in-batches.ts';
import type { Cause, Standing } from './rules.ts';

/** The only file that names `alert`. */
export interface AlertRow extends Standing {
  readonly figure: bigint | null;
  readonly opened_at: Date;
  readonly acknowledged_by: string | null;
  readonly silenced_by: string | null;
  readonly closed_at: Date | null;
}

const columns =
  sql.raw(`id, rule, cause, severity, figure, began_at, seen_at, opened_at, announced, next_at, acknowledged_at,
  acknowledged_by, silenced_until, silenced_by, closed_at`);

/** One evaluation at a time, whichever process makes it. */
export async function lockAlerts(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtext('alert'))`.execute(tx);
}

export async function selectStanding(db: Executor): Promise<Standing[]> {
  return (await sql<Standing>`SELECT ${columns} FROM alert WHERE closed_at IS NULL`.execute(db)).rows;
}

export interface NewAlert {
  readonly id: string;
  readonly severity: AlertSeverity;
  readonly cause: Cause;
}

export async function insertAlerts(tx: Tx, alerts: readonly NewAlert[], now: Date): Promise<void> {
  const column = <T>(of: (alert: NewAlert) => T) => alerts.map(of);
  await sql`
    INSERT INTO alert (id, severity, rule, cause, figure, began_at, seen_at)
    SELECT *, ${now}::timestamptz, ${now}::timestamptz FROM unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ severity }) => severity)}::text[], ${column(({ cause }) => cause.rule)}::text[],
      ${column(({ cause }) => cause.cause)}::text[], ${column(({ cause }) => cause.figure)}::bigint[]
    )
  `.execute(tx);
}

export async function updateSeen(
  tx: Tx,
  seen: readonly { readonly id: string; readonly cause: Cause }[],
  now: Date,
): Promise<void> {
  await sql`
    UPDATE alert SET seen_at = ${now}, figure = s.figure
    FROM unnest(${seen.map(({ id }) => id)}::uuid[], ${seen.map(({ cause }) => cause.figure)}::bigint[]) AS s (id, figure)
    WHERE alert.id = s.id
  `.execute(tx);
}

export async function updateOpened(
  tx: Tx,
  id: string,
  silence: { readonly until: Date; readonly by: string | null } | undefined,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE alert SET opened_at = ${now}, silenced_until = ${silence?.until ?? null}, silenced_by = ${silence?.by ?? null}
    WHERE id = ${id}
  `.execute(tx);
}

/** The silence that somebody set on an earlier alert of the same cause, and that goes on. */
export async function selectSilence(
  tx: Tx,
  { rule, cause }: Pick<Standing, 'rule' | 'cause'>,
  now: Date,
): Promise<{ until: Date; by: string | null } | undefined> {
  const { rows } = await sql<{ until: Date; by: string | null }>`
    SELECT silenced_until AS until, silenced_by AS by FROM alert
    WHERE silenced_until > ${now} AND rule = ${rule} AND cause = ${cause} ORDER BY silenced_until DESC LIMIT 1
  `.execute(tx);
  return rows[0];
}

export async function updateNext(
  tx: Tx,
  id: string,
  { announced, next }: { readonly announced: boolean; readonly next: Date | null },
): Promise<void> {
  await sql`UPDATE alert SET announced = ${announced}, next_at = ${next} WHERE id = ${id}`.execute(tx);
}

export async function updateClosed(tx: Tx, id: string, now: Date): Promise<void> {
  await sql`UPDATE alert SET closed_at = ${now}, next_at = NULL WHERE id = ${id}`.execute(tx);
}

export async function deleteAlerts(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`DELETE FROM alert WHERE id = ANY (${ids}::uuid[])`.execute(tx);
}

export async function selectAlert(db: Executor, id: string): Promise<AlertRow | undefined> {
  return (await sql<AlertRow>`SELECT ${columns} FROM alert WHERE id = ${id} AND opened_at IS NOT NULL`.execute(db))
    .rows[0];
}

/** Until the transaction ends no evaluation closes it. */
export async function lockAlert(tx: Tx, id: string): Promise<AlertRow | undefined> {
  await lockAlerts(tx);
  return await selectAlert(tx, id);
}

export async function updateAcknowledged(
  tx: Tx,
  id: string,
  { by, next }: { readonly by: string | null; readonly next: Date | null },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE alert SET acknowledged_at = ${now}, acknowledged_by = ${by}, next_at = ${next} WHERE id = ${id}
  `.execute(tx);
}

export async function updateSilenced(
  tx: Tx,
  id: string,
  { by, until }: { readonly by: string | null; readonly until: Date },
): Promise<void> {
  await sql`
    UPDATE alert SET silenced_until = ${until}, silenced_by = ${by}, next_at = ${until} WHERE id = ${id}
  `.execute(tx);
}

/** To act on at once first, then in the order in which they opened. */
export async function selectOpen(db: Executor): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    SELECT ${columns} FROM alert WHERE closed_at IS NULL AND opened_at IS NOT NULL
    ORDER BY severity = 'page' DESC, opened_at, id
  `.execute(db);
  return rows;
}

/** Newest first. */
export async function selectClosed(db: Executor, limit: number): Promise<AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    SELECT ${columns} FROM alert WHERE closed_at IS NOT NULL ORDER BY closed_at DESC, id DESC LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** Their messages go with them. */
export async function deleteClosedBefore(db: Executor, time: Date): Promise<void> {
  await inBatches(
    db,
    (limit) => sql`DELETE FROM alert WHERE ctid IN (SELECT ctid FROM alert WHERE closed_at < ${time} LIMIT ${limit})`,
  );
}
