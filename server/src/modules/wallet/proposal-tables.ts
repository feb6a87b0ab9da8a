import { sql } from 'kysely';
import type { Executor, Tx } from '../../platform/database.ts';

/** The only file that names `correction_proposal`. */
export interface ProposalRow {
  readonly id: string;
  /** Null: it is about the users of a bulk. */
  readonly user_id: string | null;
  readonly kind: 'adjustment' | 'debt' | 'credit' | 'bulk';
  /** Of a bulk the sum. */
  readonly amount_toman: bigint;
  readonly reason: string;
  readonly proposed_by: string;
  readonly proposed_at: Date;
  readonly expires_at: Date;
  readonly state: 'open' | 'done' | 'declined' | 'withdrawn';
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
  readonly alone: boolean;
  /** Of a credit; the others have none. */
  readonly payment_id: string | null;
  readonly reference: string | null;
  readonly same_reference: boolean;
  /** Of a bulk: what each gets, how many they are, and the hash of their ids. The others have none. */
  readonly each_toman: bigint | null;
  readonly people: number | null;
  readonly people_hash: string | null;
}

const columns =
  sql.raw(`id, user_id, kind, amount_toman, reason, proposed_by, proposed_at, expires_at, state, decided_by,
  decided_at, alone, payment_id, reference, same_reference, each_toman, people, people_hash`);

export async function insertProposal(
  tx: Tx,
  row: Omit<ProposalRow, 'state' | 'decided_by' | 'decided_at' | 'alone'>,
): Promise<void> {
  await sql`
    INSERT INTO correction_proposal (id, user_id, kind, amount_toman, reason, proposed_by, proposed_at, expires_at,
      payment_id, reference, same_reference, each_toman, people, people_hash)
    VALUES (${row.id}, ${row.user_id}, ${row.kind}, ${row.amount_toman}, ${row.reason}, ${row.proposed_by},
      ${row.proposed_at}, ${row.expires_at}, ${row.payment_id}, ${row.reference}, ${row.same_reference}, ${row.each_toman}, ${row.people},
      ${row.people_hash})
  `.execute(tx);
}

/** The proposal to credit a payment that waits for a decision; there is one at most. */
export async function selectOpenCredit(db: Executor, paymentId: string, now: Date): Promise<ProposalRow | undefined> {
  const { rows } = await sql<ProposalRow>`
    SELECT ${columns} FROM correction_proposal
    WHERE payment_id = ${paymentId} AND state = 'open' AND expires_at > ${now} LIMIT 1
  `.execute(db);
  return rows[0];
}

export async function selectProposal(db: Executor, id: string): Promise<ProposalRow | undefined> {
  return (await sql<ProposalRow>`SELECT ${columns} FROM correction_proposal WHERE id = ${id}`.execute(db)).rows[0];
}

/** Of several who decide at once, one goes on; the others wait, and find it decided. */
export async function lockProposal(tx: Tx, id: string): Promise<ProposalRow | undefined> {
  const { rows } = await sql<ProposalRow>`
    SELECT ${columns} FROM correction_proposal WHERE id = ${id} FOR UPDATE
  `.execute(tx);
  return rows[0];
}

export async function updateDecided(
  tx: Tx,
  id: string,
  decision: { readonly state: 'done' | 'declined' | 'withdrawn'; readonly by: string; readonly alone: boolean },
  now: Date,
): Promise<void> {
  await sql`
    UPDATE correction_proposal
    SET state = ${decision.state}, decided_by = ${decision.by}, decided_at = ${now}, alone = ${decision.alone}
    WHERE id = ${id}
  `.execute(tx);
}

/** The oldest that wait. */
export async function selectUndecided(
  db: Executor,
  now: Date,
  limit: number,
): Promise<Pick<ProposalRow, 'proposed_by' | 'proposed_at'>[]> {
  const { rows } = await sql<Pick<ProposalRow, 'proposed_by' | 'proposed_at'>>`
    SELECT proposed_by, proposed_at FROM correction_proposal
    WHERE state = 'open' AND expires_at > ${now} ORDER BY proposed_at, id LIMIT ${limit}
  `.execute(db);
  return rows;
}

/** Those that wait, and the newest of the others. */
export async function selectProposals(db: Executor, now: Date, limit: number): Promise<ProposalRow[]> {
  const { rows } = await sql<ProposalRow>`
    (SELECT ${columns} FROM correction_proposal WHERE state = 'open' AND expires_at > ${now} ORDER BY proposed_at, id LIMIT ${limit})
    UNION ALL
    (SELECT ${columns} FROM correction_proposal WHERE state <> 'open' OR expires_at <= ${now}
      ORDER BY proposed_at DESC, id DESC LIMIT ${limit})
  `.execute(db);
  return rows;
}
