-- What payments, refunds and reversals promise; run and explained with those of the ledger.

-- set: refunds
SELECT id FROM refund WHERE id >= :transfer AND id < :end_transfer
UNION SELECT id FROM refund WHERE settled_at >= :time AND settled_at < :end_time
UNION SELECT uuid_of(source_id) FROM ledger_transfer WHERE id >= :transfer AND id < :end_transfer AND source_type = 'refund'

-- name: L9 a payment has its one credit exactly when it is completed
SELECT p.id, p.state, count(t.id) AS credits
FROM payment p LEFT JOIN ledger_transfer t ON t.source_type = 'payment' AND t.source_id = p.id::text AND t.purpose = 'credit'
GROUP BY p.id HAVING (p.state = 'completed') <> (count(t.id) = 1) OR count(t.id) > 1;
-- recent
SELECT touched.id, p.state, count(t.id) AS credits FROM (
  SELECT id FROM payment WHERE id >= :transfer AND id < :end_transfer
  UNION SELECT id FROM payment WHERE settled_at >= :time AND settled_at < :end_time
  UNION SELECT uuid_of(source_id) FROM ledger_transfer
  WHERE id >= :transfer AND id < :end_transfer AND source_type = 'payment' AND purpose = 'credit'
) touched
LEFT JOIN payment p ON p.id = touched.id
LEFT JOIN ledger_transfer t ON t.source_type = 'payment' AND t.source_id = p.id::text AND t.purpose = 'credit'
GROUP BY touched.id, p.id HAVING p.id IS NULL OR (p.state = 'completed') <> (count(t.id) = 1) OR count(t.id) > 1;

-- name: L10 a payment's credit is its amount, on its owner's wallet
SELECT p.id FROM payment p
JOIN ledger_transfer t ON t.source_type = 'payment' AND t.source_id = p.id::text AND t.purpose = 'credit'
LEFT JOIN ledger_account a ON a.owner_id = p.user_id AND a.kind = 'user_wallet'
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE e.amount IS DISTINCT FROM p.amount_toman;
-- recent
SELECT p.id FROM ledger_transfer t
JOIN payment p ON p.id = uuid_of(t.source_id)
LEFT JOIN ledger_account a ON a.owner_id = p.user_id AND a.kind = 'user_wallet'
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id AND e.transfer_id >= :transfer AND e.transfer_id < :end_transfer
WHERE t.id >= :transfer AND t.id < :end_transfer AND t.source_type = 'payment' AND t.purpose = 'credit'
  AND e.amount IS DISTINCT FROM p.amount_toman;

-- name: L11 a completed payment keeps the gateway's answer
SELECT id FROM payment WHERE state = 'completed' AND (evidence IS NULL OR gateway_reference IS NULL OR ref_id IS NULL);
-- recent
SELECT id FROM payment WHERE state = 'completed' AND (evidence IS NULL OR gateway_reference IS NULL OR ref_id IS NULL)
  AND settled_at >= :time AND settled_at < :end_time;

-- name: L14 a refund has left the wallet once, and came back or arrived at most once
SELECT r.id, r.state, t.purposes
FROM refund r
LEFT JOIN LATERAL (
  SELECT string_agg(purpose, ' ' ORDER BY purpose) AS purposes FROM ledger_transfer
  WHERE source_type = 'refund' AND source_id = r.id::text
) t ON true
WHERE t.purposes IS DISTINCT FROM CASE r.state WHEN 'confirmed' THEN 'confirm reserve' WHEN 'failed' THEN 'reserve return' ELSE 'reserve' END;
-- recent
SELECT touched.id, r.state, t.purposes FROM (:refunds) touched
LEFT JOIN refund r ON r.id = touched.id
LEFT JOIN LATERAL (
  SELECT string_agg(purpose, ' ' ORDER BY purpose) AS purposes FROM ledger_transfer
  WHERE source_type = 'refund' AND source_id = r.id::text
) t ON true
WHERE r.id IS NULL OR t.purposes IS DISTINCT FROM
  CASE r.state WHEN 'confirmed' THEN 'confirm reserve' WHEN 'failed' THEN 'reserve return' ELSE 'reserve' END;

-- name: L14b refunds of a payment never exceed it, are of its owner and of a completed payment
SELECT p.id FROM payment p JOIN refund r ON r.payment_id = p.id
GROUP BY p.id HAVING coalesce(sum(r.amount_toman) FILTER (WHERE r.state <> 'failed'), 0) > p.amount_toman
  OR p.state <> 'completed' OR bool_or(r.user_id <> p.user_id OR r.gateway <> p.gateway);
-- recent
SELECT p.id FROM payment p JOIN refund r ON r.payment_id = p.id
WHERE p.id IN (SELECT n.payment_id FROM (:refunds) touched JOIN refund n ON n.id = touched.id)
GROUP BY p.id HAVING coalesce(sum(r.amount_toman) FILTER (WHERE r.state <> 'failed'), 0) > p.amount_toman
  OR p.state <> 'completed' OR bool_or(r.user_id <> p.user_id OR r.gateway <> p.gateway);

-- name: L14c money on its way back is the sum of the refunds under way
SELECT e.total, r.total AS open FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE a.code = 'refund:clearing') e,
  (SELECT coalesce(sum(amount_toman), 0) AS total FROM refund WHERE state NOT IN ('confirmed', 'failed')) r
WHERE e.total <> r.total;
-- recent
SELECT e.transfer_id, e.amount FROM ledger_entry e JOIN ledger_transfer t ON t.id = e.transfer_id
LEFT JOIN refund r ON t.source_type = 'refund' AND r.id = uuid_of(t.source_id)
WHERE e.transfer_id >= :transfer AND e.transfer_id < :end_transfer
  AND e.account_id = (SELECT id FROM ledger_account WHERE code = 'refund:clearing')
  AND e.amount IS DISTINCT FROM CASE t.purpose WHEN 'reserve' THEN r.amount_toman ELSE -r.amount_toman END;

-- name: L16 a gateway's clearing account is its credited payments less what went back, before settlement
SELECT a.code, coalesce(e.total, 0) AS booked, coalesce(p.total, 0) AS credited
FROM ledger_account a
LEFT JOIN (
  SELECT account_id, sum(amount) AS total FROM ledger_entry JOIN ledger_transfer t ON t.id = transfer_id
  WHERE t.kind <> 'settlement' AND account_version IS NULL GROUP BY account_id
) e ON e.account_id = a.id
LEFT JOIN (
  SELECT gateway, sum(amount) AS total FROM (
    SELECT gateway, amount_toman AS amount FROM payment WHERE state = 'completed'
    UNION ALL SELECT gateway, -amount_toman FROM refund WHERE state = 'confirmed'
    UNION ALL SELECT p.gateway, -v.amount_toman FROM payment_reversal v JOIN payment p ON p.id = v.payment_id
  ) moves GROUP BY gateway
) p
  ON a.code = 'gateway:' || p.gateway || ':clearing'
WHERE a.code LIKE 'gateway:%:clearing' AND coalesce(e.total, 0) <> -coalesce(p.total, 0);
-- recent
-- Each movement is what its payment, refund or reversal says, and each reversal has one. L9 and L14 look for the others.
-- From the new entries on: from the account on, or by the index of the house's entries, PostgreSQL would read all that there ever were.
SELECT t.id, a.code, e.amount FROM (
  SELECT transfer_id, account_id, account_version, amount FROM ledger_entry
  WHERE transfer_id >= :transfer AND transfer_id < :end_transfer OFFSET 0
) e
JOIN ledger_account a ON a.id = e.account_id AND e.account_version IS NULL AND a.code LIKE 'gateway:%:clearing'
JOIN ledger_transfer t ON t.id = e.transfer_id AND t.kind <> 'settlement'
LEFT JOIN payment p ON t.source_type = 'payment' AND p.id = uuid_of(t.source_id) AND a.code = 'gateway:' || p.gateway || ':clearing'
LEFT JOIN payment_reversal v ON v.payment_id = p.id
LEFT JOIN refund r ON t.source_type = 'refund' AND r.id = uuid_of(t.source_id) AND a.code = 'gateway:' || r.gateway || ':clearing'
WHERE e.amount IS DISTINCT FROM CASE
  WHEN t.purpose = 'credit' AND p.state = 'completed' THEN -p.amount_toman
  WHEN t.purpose = 'reversal' THEN v.amount_toman
  WHEN t.purpose = 'confirm' AND r.state = 'confirmed' THEN r.amount_toman
END
UNION ALL
SELECT v.payment_id, p.gateway, v.amount_toman FROM payment_reversal v JOIN payment p ON p.id = v.payment_id
LEFT JOIN ledger_transfer t ON t.source_type = 'payment' AND t.source_id = v.payment_id::text AND t.purpose = 'reversal'
WHERE v.created_at >= :time AND v.created_at < :end_time AND t.id IS NULL;

-- name: L16b what people owe after reversals is what the receivable account says
SELECT e.total, v.owed FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE a.code = 'receivable:chargeback'
   AND e.account_version IS NULL) e,
  (SELECT coalesce(sum(owed_toman), 0) AS owed FROM payment_reversal WHERE owed_toman > 0) v
WHERE e.total <> -v.owed;
