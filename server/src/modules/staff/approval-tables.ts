import type { ApprovalAct } from '@raha/contract/admin/approvals.ts';
import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `approval`. */
export interface ApprovalRow {
  readonly id: string;
  readonly act: ApprovalAct;
  readonly payload: unknown;
  readonly reason: string;
  readonly proposed_by: string;
  readonly proposed_at: Date;
  readonly expires_at: Date;
  readonly state: 'open' | 'done' | 'declined' | 'withdrawn';
  /** A member, or a user of the machine. */
  readonly decided_by: string | null;
  readonly machine_user: string | null;
  readonly decided_at: Date | null;
  readonly alone: boolean;
}

const columns =
  sql.raw(`id, act, payload, reason, proposed_by, proposed_at, expires_at, state, decided_by, machine_user,
  decided_at, alone`);

type NewApproval = Pick<
  ApprovalRow,
  'id' | 'act' | 'payload' | 'reason' | 'proposed_by' | 'proposed_at' | 'expires_at'
>;

export async function insertApproval(tx: Tx, row: NewApproval): Promise<void> {
  await sql`
    INSERT INTO approval (id, act, payload, reason, proposed_by, proposed_at, expires_at)
    VALUES (${row.id}, ${row.act}, ${JSON.stringify(row.payload)}::jsonb, ${row.reason}, ${row.proposed_by},
      ${row.proposed_at}, ${row.expires_at})
  `.execute(tx);
}

/** Of several who decide at once, one goes on; the others wait, and find it decided. */
export async function lockApproval(tx: Tx, id: string): Promise<ApprovalRow | undefined> {
  return (await sql<ApprovalRow>`SELECT ${columns} FROM approval WHERE id = ${id} FOR UPDATE`.execute(tx)).rows[0];
}

export interface Decided {
  readonly state: 'done' | 'declined' | 'withdrawn';
  readonly by: { readonly userId: string } | { readonly systemUser: string };
  readonly alone: boolean;
}

export async function updateDecided(tx: Tx, id: string, { state, by, alone }: Decided, now: Date): Promise<void> {
  await sql`
    UPDATE approval
    SET state = ${state}, decided_by = ${'userId' in by ? by.userId : null},
      machine_user = ${'systemUser' in by ? by.systemUser : null}, decided_at = ${now}, alone = ${alone}
    WHERE id = ${id}
  `.execute(tx);
}

/** The oldest that wait. */
export async function selectUndecided(
  db: Executor,
  now: Date,
  limit: number,
): Promise<Pick<ApprovalRow, 'act' | 'proposed_by' | 'proposed_at'>[]> {
  const { rows } = await sql<Pick<ApprovalRow, 'act' | 'proposed_by' | 'proposed_at'>>`
    SELECT act, proposed_by, proposed_at FROM approval
    WHERE state = 'open' AND expires_at > ${now} ORDER BY proposed_at, id LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** Those that wait, and the newest of the others. */
export async function selectApprovals(db: Executor, now: Date, limit: number): Promise<ApprovalRow[]> {
  const { rows } = await sql<ApprovalRow>`
    (SELECT ${columns} FROM approval WHERE state = 'open' AND expires_at > ${now} ORDER BY proposed_at, id LIMIT ${limit})
    UNION ALL
    (SELECT ${columns} FROM approval WHERE state <> 'open' OR expires_at <= ${now}
      ORDER BY proposed_at DESC, id DESC LIMIT ${limit})
  `.execute(db);
  return rows;
}
