import { sql } from 'kysely';
import { house } from '../server/src/modules/ledger/house.ts';
import { inTransaction } from '../server/src/platform/database.ts';
import { newId } from '../server/src/platform/random.ts';
import type { Deps } from './ingestion.ts';

export const TOMAN_PER_USER = 10_000_000n;

/**
 * Rows for one node: users with money and a config each, as the product would have written them one by one. `model` is a
 * user who signed up normally. The ledger stays balanced: one transfer pays all wallets of the node.
 */
export async function insertConfigs(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  node: { id: string; epoch: string },
  model: string,
  count: number,
): Promise<string[]> {
  const now = clock.now();
  const transfer = newId(now);
  const paid = TOMAN_PER_USER * BigInt(count);
  return await inTransaction(db, async (tx) => {
    const { rows } = await sql<{ id: string }>`
    WITH made AS MATERIALIZED (
      SELECT uuidv7() AS owner, uuidv7() AS config, uuidv7() AS wallet, n FROM generate_series(1, ${count}::int) n
    ), owners AS (
      INSERT INTO users SELECT (jsonb_populate_record(u, jsonb_build_object('id', m.owner, 'email', m.owner || '@example.com'))).*
      FROM users u, made m WHERE u.id = ${model}
    ), accounts AS (
      INSERT INTO ledger_account (id, kind, owner_id, code, balance, version, floor, created_at)
      SELECT wallet, 'user_wallet', owner, 'user:' || owner || ':wallet', ${TOMAN_PER_USER}::bigint, 1, 0, ${now}::timestamptz FROM made
    ), configs AS (
      INSERT INTO config (id, user_id, node_id, name, protocol, credential, client_secret_sealed, slot, created_at)
      SELECT config, owner, ${node.id}::uuid, 'bench', 'wireguard', encode(sha256(uuid_send(config)), 'base64'), '', n + 1, ${now}::timestamptz FROM made
    ), meters AS (
      INSERT INTO meter (config_id, user_id, node_id, generation, epoch) SELECT config, owner, ${node.id}::uuid, 0, ${node.epoch}::text FROM made
    ), transfers AS (
      INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at)
      VALUES (${transfer}, 'adjustment', 'bench', ${transfer}, 'fund', ${now})
    )
    SELECT config AS id FROM made ORDER BY 1
  `.execute(tx);
    await sql`
      INSERT INTO ledger_entry (transfer_id, account_id, amount, account_version, balance_after)
      SELECT ${transfer}::uuid, a.id, a.balance, 1, a.balance FROM config c
        JOIN ledger_account a ON a.owner_id = c.user_id AND a.kind = 'user_wallet' WHERE c.node_id = ${node.id}
      UNION ALL SELECT ${transfer}::uuid, ${house.adjustment}::uuid, -${paid}::bigint, NULL, NULL
    `.execute(tx);
    await sql`UPDATE node SET next_slot = ${count + 2} WHERE id = ${node.id}`.execute(tx);
    return rows.map((row) => row.id);
  });
}
