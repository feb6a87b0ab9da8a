-- The proof of a month asks for the movements of its transfers. With the transfer of the entry as a column it can say so of both tables;
-- from the transfer alone PostgreSQL does not conclude it, and read the entries of all months.
CREATE OR REPLACE VIEW transfer_movement AS
SELECT a.owner_id AS user_id, t.created_at AS at, t.id,
  CASE t.kind WHEN 'refund' THEN 'refund' WHEN 'transfer' THEN 'transfer' ELSE 'adjustment' END AS type,
  e.amount, 'completed' AS status, t.purpose AS detail, NULL::text AS plan_name_fa, NULL::text AS plan_name_en,
  e.transfer_id AS entry_transfer_id
FROM ledger_transfer t
JOIN ledger_entry e ON e.transfer_id = t.id
JOIN ledger_account a ON a.id = e.account_id
WHERE t.kind IN ('refund', 'transfer', 'reversal', 'adjustment') AND a.kind = 'user_wallet' AND e.account_version IS NOT NULL;

CREATE OR REPLACE FUNCTION wallet_movement_of_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wallet_movement_put(array_agg(
      ROW(v.user_id, v.at, v.id, v.type, v.amount, v.status, v.detail, v.plan_name_fa, v.plan_name_en)::wallet_movement))
    FROM transfer_movement v WHERE v.id = NEW.id;
  RETURN NULL;
END $$;
