import { sql } from 'kysely';
import { type Executor, readRows, type Tx } from '../../platform/database.ts';
import { prepare } from '../../platform/statements.ts';

/** The only file that names ledger_account, ledger_transfer and ledger_entry (`invariants.sql` reads them too). */

export interface TransferRow {
  readonly id: string;
  readonly kind: string;
  readonly sourceType: string;
  readonly sourceId: string;
  readonly purpose: string;
  readonly at: Date;
  /** The day of the books; undefined: that of `at` in Tehran. */
  readonly day?: string | undefined;
}

/**
 * One statement, one round trip: locks the user accounts in id order, moves their balances, and writes the transfer and
 * its entries. Triggers check that it balances. Every join finds its accounts by index, so that the cost of a transfer
 * grows linearly with its entries.
 */
export async function insertTransfer(
  tx: Executor,
  transfer: TransferRow,
  accounts: string[],
  amounts: bigint[],
): Promise<void> {
  const input = sql`unnest(${accounts}::uuid[], ${amounts.map(String)}::bigint[]) AS i (account_id, amount)`;
  await sql`
    WITH locked AS MATERIALIZED (
      SELECT id FROM ledger_account WHERE id = ANY (${accounts}::uuid[]) AND kind <> 'house' ORDER BY id FOR UPDATE
    ), moved AS (
      UPDATE ledger_account a SET balance = a.balance + i.amount, version = a.version + 1
      FROM ${input}
      WHERE a.id = i.account_id AND a.kind <> 'house' AND (SELECT count(*) FROM locked) > 0
      RETURNING a.id, i.amount, a.version, a.balance
    ), transfer AS (
      INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at, booked_on)
      VALUES (${transfer.id}, ${transfer.kind}, ${transfer.sourceType}, ${transfer.sourceId}, ${transfer.purpose}, ${transfer.at},
        ${transfer.day ?? null}::date)
    )
    INSERT INTO ledger_entry (transfer_id, account_id, amount, account_version, balance_after)
    SELECT ${transfer.id}::uuid, id, amount, version, balance FROM moved
    UNION ALL
    SELECT ${transfer.id}::uuid, a.id, i.amount, NULL, NULL
    FROM ${input} JOIN ledger_account a ON a.id = i.account_id AND a.kind = 'house'
  `.execute(tx);
}

export async function insertUserAccount(tx: Tx, userId: string, walletId: string, now: Date): Promise<void> {
  await sql`
    INSERT INTO ledger_account (id, kind, owner_id, code, balance, version, floor, created_at)
    VALUES (${walletId}, 'user_wallet', ${userId}, ${`user:${userId}:wallet`}, 0, 0, 0, ${now})
  `.execute(tx);
}

export interface UserAccountRow {
  readonly user_id: string;
  readonly wallet_id: string;
  readonly wallet: bigint;
  readonly lease: bigint;
}

/** `UserAccountRow`s, for the SQL of another module. */
export const accountRows = sql.raw('(SELECT user_id, wallet_id, wallet, lease FROM user_account)');

export const userAccounts = prepare<{ userIds: readonly string[] }, UserAccountRow>(
  ({ userIds }) =>
    sql`SELECT user_id, wallet_id, wallet, lease FROM user_account WHERE user_id = ANY (${userIds}::uuid[])`,
);

export async function selectUserAccounts(db: Executor, userIds: readonly string[]): Promise<UserAccountRow[]> {
  return await readRows(db, userAccounts({ userIds }));
}

/** Locks the accounts of the users in id order and returns their balances. */
export async function lockUserAccounts(tx: Tx, userIds: readonly string[]): Promise<UserAccountRow[]> {
  await sql`
    SELECT id FROM ledger_account WHERE owner_id = ANY (${userIds}::uuid[]) ORDER BY id FOR UPDATE
  `.execute(tx);
  return await selectUserAccounts(tx, userIds);
}

/**
 * One transfer with an entry per user, in one statement: a report with a thousand configs costs one transfer, not a
 * thousand. The money was reserved, and no longer is. Wallets are found by index, in the order of their owners (`byIndex`).
 */
export async function insertUsageTransfer(
  tx: Tx,
  transfer: { id: string; at: Date; day: string; revenueAccountId: string },
  charges: readonly (readonly [userId: string, amount: bigint])[],
): Promise<void> {
  const sorted = [...charges].sort(([a], [b]) => (a < b ? -1 : 1));
  const total = sorted.reduce((sum, [, amount]) => sum + amount, 0n);
  await sql`
    WITH moved AS (
      UPDATE ledger_account a SET balance = a.balance - i.amount, reserved = a.reserved - i.amount, version = a.version + 1
      FROM unnest(${sorted.map(([user]) => user)}::uuid[], ${sorted.map(([, amount]) => String(amount))}::bigint[]) AS i (user_id, amount)
      WHERE a.owner_id = i.user_id AND a.kind = 'user_wallet'
      RETURNING a.id, -i.amount AS amount, a.version, a.balance
    ), transfer AS (
      INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at, booked_on)
      VALUES (${transfer.id}, 'usage', 'usage_report', ${transfer.id}, 'charge', ${transfer.at}, ${transfer.day}::date)
    )
    INSERT INTO ledger_entry (transfer_id, account_id, amount, account_version, balance_after)
    SELECT ${transfer.id}::uuid, id, amount, version, balance FROM moved
    UNION ALL
    SELECT ${transfer.id}::uuid, ${transfer.revenueAccountId}::uuid, ${total}::bigint, NULL, NULL
  `.execute(tx);
}

/** Reserves money of wallets that the transaction has locked; negative amounts release it. Toman per user. */
export async function updateReserved(tx: Tx, amounts: readonly (readonly [userId: string, amount: bigint])[]) {
  await sql`
    UPDATE ledger_account a SET reserved = a.reserved + i.amount
    FROM unnest(${amounts.map(([user]) => user)}::uuid[], ${amounts.map(([, amount]) => String(amount))}::bigint[]) AS i (user_id, amount)
    WHERE a.owner_id = i.user_id AND a.kind = 'user_wallet'
  `.execute(tx);
}

/** What all wallets together have reserved. */
export async function sumReserved(db: Executor): Promise<bigint> {
  const result = await sql<{ toman: bigint }>`
    SELECT coalesce(sum(reserved), 0)::bigint AS toman FROM ledger_account WHERE reserved > 0
  `.execute(db);
  return result.rows[0]?.toman ?? 0n;
}
