-- Invariants of transfers between wallets; `ledger/invariants.sql` explains the format.

-- name: L17 a transfer between users moved its amount from one wallet to the other
SELECT w.id FROM wallet_transfer w
LEFT JOIN ledger_transfer t ON t.source_type = 'wallet_transfer' AND t.source_id = w.id::text
LEFT JOIN ledger_account f ON f.owner_id = w.from_user_id AND f.kind = 'user_wallet'
LEFT JOIN ledger_account g ON g.owner_id = w.to_user_id AND g.kind = 'user_wallet'
LEFT JOIN ledger_entry o ON o.transfer_id = t.id AND o.account_id = f.id
LEFT JOIN ledger_entry i ON i.transfer_id = t.id AND i.account_id = g.id
WHERE o.amount IS DISTINCT FROM -w.amount_toman OR i.amount IS DISTINCT FROM w.amount_toman;
-- recent
SELECT touched.id FROM (
  SELECT id FROM wallet_transfer WHERE id >= :transfer AND id < :end_transfer
  UNION SELECT uuid_of(source_id) FROM ledger_transfer
  WHERE id >= :transfer AND id < :end_transfer AND source_type = 'wallet_transfer'
) touched
LEFT JOIN wallet_transfer w ON w.id = touched.id
LEFT JOIN ledger_transfer t ON t.source_type = 'wallet_transfer' AND t.source_id = w.id::text
LEFT JOIN ledger_account f ON f.owner_id = w.from_user_id AND f.kind = 'user_wallet'
LEFT JOIN ledger_account g ON g.owner_id = w.to_user_id AND g.kind = 'user_wallet'
LEFT JOIN ledger_entry o ON o.transfer_id = t.id AND o.account_id = f.id
LEFT JOIN ledger_entry i ON i.transfer_id = t.id AND i.account_id = g.id
WHERE w.id IS NULL OR o.amount IS DISTINCT FROM -w.amount_toman OR i.amount IS DISTINCT FROM w.amount_toman;

-- name: L26 a correction by an operator has one transfer, of its amount, on the account that it names
SELECT c.id FROM wallet_correction c
LEFT JOIN ledger_transfer t ON t.source_type = 'correction' AND t.source_id = c.id::text AND t.purpose = c.kind
LEFT JOIN ledger_account a ON CASE c.kind WHEN 'debt' THEN a.code = 'receivable:chargeback'
  ELSE a.owner_id = c.user_id AND a.kind = 'user_wallet' END
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE e.amount IS DISTINCT FROM c.amount_toman;
-- recent
SELECT c.id FROM wallet_correction c
LEFT JOIN ledger_transfer t ON t.source_type = 'correction' AND t.source_id = c.id::text AND t.purpose = c.kind
LEFT JOIN ledger_account a ON CASE c.kind WHEN 'debt' THEN a.code = 'receivable:chargeback'
  ELSE a.owner_id = c.user_id AND a.kind = 'user_wallet' END
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE c.id >= :transfer AND c.id < :end_transfer AND e.amount IS DISTINCT FROM c.amount_toman;

-- name: L26b no transfer is a correction that is not written down
SELECT t.id FROM ledger_transfer t
WHERE t.source_type = 'correction' AND NOT EXISTS (SELECT FROM wallet_correction c WHERE c.id::text = t.source_id);
-- recent
SELECT t.id FROM ledger_transfer t
WHERE t.source_type = 'correction' AND NOT EXISTS (SELECT FROM wallet_correction c WHERE c.id = uuid_of(t.source_id))
  AND t.id >= :transfer AND t.id < :end_transfer;
