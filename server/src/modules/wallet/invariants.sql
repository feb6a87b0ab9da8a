-- Invariants of transfers between wallets, corrections, and what the wallet lists; `ledger/invariants.sql` explains the format.

-- set: payments
SELECT id FROM payment WHERE id >= :transfer AND id < :end_transfer
UNION SELECT id FROM payment WHERE settled_at >= :time AND settled_at < :end_time

-- When what moved a wallet is listed. A payment keeps its day when it is completed, goes back or is reversed.
-- set: moved
SELECT user_id, at FROM payment_movement WHERE id IN (:payments)
UNION SELECT user_id, at FROM card_movement WHERE at >= :time AND at < :end_time
UNION SELECT user_id, at FROM transfer_movement WHERE id >= :transfer AND id < :end_transfer
UNION SELECT user_id, at FROM plan_movement WHERE subscription_id >= :transfer AND subscription_id < :end_transfer
UNION SELECT user_id, ended_at FROM subscription WHERE ended_at >= :time AND ended_at < :end_time
UNION SELECT p.user_id, p.created_at FROM ledger_transfer t
  LEFT JOIN refund r ON t.source_type = 'refund' AND r.id = uuid_of(t.source_id)
  JOIN payment p ON p.id = coalesce(r.payment_id, uuid_of(t.source_id))
  WHERE t.id >= :transfer AND t.id < :end_transfer AND t.kind IN ('refund', 'reversal')

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
  WHERE id >= :transfer AND id < :end_transfer AND (source_type = 'wallet_transfer') IS TRUE
) touched
LEFT JOIN wallet_transfer w ON w.id = touched.id
LEFT JOIN ledger_transfer t ON t.source_type = 'wallet_transfer' AND t.source_id = w.id::text
LEFT JOIN ledger_account f ON f.owner_id = w.from_user_id AND f.kind = 'user_wallet'
LEFT JOIN ledger_account g ON g.owner_id = w.to_user_id AND g.kind = 'user_wallet'
LEFT JOIN ledger_entry o ON o.transfer_id = t.id AND o.account_id = f.id
LEFT JOIN ledger_entry i ON i.transfer_id = t.id AND i.account_id = g.id
WHERE w.id IS NULL OR o.amount IS DISTINCT FROM -w.amount_toman OR i.amount IS DISTINCT FROM w.amount_toman;
-- month
-- With what the ledger has of the month; one by one, by index, what differs: a transfer at its end may be booked after it.
-- IS TRUE: by the index of its cause PostgreSQL would read the transfers of all months.
WITH moved AS MATERIALIZED (
  SELECT t.source_id, a.owner_id, sum(e.amount) AS amount FROM ledger_transfer t
  JOIN ledger_entry e ON e.transfer_id = t.id AND e.transfer_id >= :transfer AND e.transfer_id < :end_transfer
  JOIN ledger_account a ON a.id = e.account_id AND a.kind = 'user_wallet'
  WHERE t.id >= :transfer AND t.id < :end_transfer AND (t.source_type = 'wallet_transfer') IS TRUE GROUP BY 1, 2
), differs AS MATERIALIZED (
  SELECT w.* FROM wallet_transfer w
  LEFT JOIN moved o ON o.source_id = w.id::text AND o.owner_id = w.from_user_id
  LEFT JOIN moved i ON i.source_id = w.id::text AND i.owner_id = w.to_user_id
  WHERE w.id >= :transfer AND w.id < :end_transfer
    AND (o.amount IS DISTINCT FROM -w.amount_toman OR i.amount IS DISTINCT FROM w.amount_toman)
)
SELECT w.id::text AS id FROM differs w WHERE (
  SELECT sum(e.amount) FILTER (WHERE a.owner_id = w.from_user_id) = -w.amount_toman
    AND sum(e.amount) FILTER (WHERE a.owner_id = w.to_user_id) = w.amount_toman
  FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
  WHERE t.source_type = 'wallet_transfer' AND t.source_id = w.id::text AND a.kind = 'user_wallet'
) IS NOT TRUE
UNION ALL
SELECT t.source_id FROM ledger_transfer t LEFT JOIN wallet_transfer w ON w.id = uuid_of(t.source_id)
WHERE t.id >= :transfer AND t.id < :end_transfer AND (t.source_type = 'wallet_transfer') IS TRUE AND w.id IS NULL;

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

-- name: L42 a member's correction is within the limit of its time, or two decided it, or one alone is marked
SELECT c.id FROM wallet_correction c LEFT JOIN correction_proposal p ON p.id = c.proposal_id
WHERE c.staff_id IS NOT NULL AND (CASE WHEN c.proposal_id IS NULL THEN c.kind = 'adjustment' AND abs(c.amount_toman) <= c.limit_toman AND c.bulk_id IS NULL
  ELSE p.state = 'done' AND p.decided_by = c.staff_id AND (p.decided_by <> p.proposed_by OR p.alone) AND CASE p.kind
    WHEN 'bulk' THEN c.bulk_id IS NOT NULL AND c.kind = 'adjustment' AND p.each_toman = c.amount_toman
    ELSE c.bulk_id IS NULL AND p.user_id = c.user_id AND p.kind = c.kind AND p.amount_toman = c.amount_toman END END) IS NOT TRUE;
-- recent
SELECT c.id FROM wallet_correction c LEFT JOIN correction_proposal p ON p.id = c.proposal_id
WHERE c.id >= :transfer AND c.id < :end_transfer
  AND c.staff_id IS NOT NULL AND (CASE WHEN c.proposal_id IS NULL THEN c.kind = 'adjustment' AND abs(c.amount_toman) <= c.limit_toman AND c.bulk_id IS NULL
  ELSE p.state = 'done' AND p.decided_by = c.staff_id AND (p.decided_by <> p.proposed_by OR p.alone) AND CASE p.kind
    WHEN 'bulk' THEN c.bulk_id IS NOT NULL AND c.kind = 'adjustment' AND p.each_toman = c.amount_toman
    ELSE c.bulk_id IS NULL AND p.user_id = c.user_id AND p.kind = c.kind AND p.amount_toman = c.amount_toman END END) IS NOT TRUE;

-- name: L42b a proposal about one user that was done has its correction, or its credited payment
SELECT p.id FROM correction_proposal p
WHERE p.state = 'done' AND p.kind <> 'bulk' AND NOT EXISTS (SELECT FROM wallet_correction c WHERE c.proposal_id = p.id) AND NOT EXISTS (
  SELECT FROM payment y WHERE y.id = p.payment_id AND y.state = 'completed' AND y.evidence #>> '{review,proposal}' = p.id::text);
-- recent
SELECT p.id FROM correction_proposal p
WHERE p.state = 'done' AND p.kind <> 'bulk' AND p.decided_at >= :time AND p.decided_at < :end_time
  AND NOT EXISTS (SELECT FROM wallet_correction c WHERE c.proposal_id = p.id) AND NOT EXISTS (
  SELECT FROM payment y WHERE y.id = p.payment_id AND y.state = 'completed' AND y.evidence #>> '{review,proposal}' = p.id::text);

-- name: L43 a payment that a member credited is within the limit of its time, or two decided it, or one alone is marked
SELECT y.id FROM payment y LEFT JOIN correction_proposal p ON p.payment_id = y.id AND p.id::text = y.evidence #>> '{review,proposal}'
WHERE y.state = 'completed' AND y.evidence #> '{review,limitToman}' IS NOT NULL AND (CASE WHEN y.evidence #> '{review,proposal}' IS NULL
  THEN y.amount_toman <= (y.evidence #>> '{review,limitToman}')::bigint
  ELSE p.state = 'done' AND p.user_id = y.user_id AND p.amount_toman = y.amount_toman AND (p.decided_by <> p.proposed_by OR p.alone) END) IS NOT TRUE;
-- recent
SELECT y.id FROM payment y LEFT JOIN correction_proposal p ON p.payment_id = y.id AND p.id::text = y.evidence #>> '{review,proposal}'
WHERE y.id IN (:payments)
  AND y.state = 'completed' AND y.evidence #> '{review,limitToman}' IS NOT NULL AND (CASE WHEN y.evidence #> '{review,proposal}' IS NULL
  THEN y.amount_toman <= (y.evidence #>> '{review,limitToman}')::bigint
  ELSE p.state = 'done' AND p.user_id = y.user_id AND p.amount_toman = y.amount_toman AND (p.decided_by <> p.proposed_by OR p.alone) END) IS NOT TRUE;

-- name: L40 what moved a wallet is written down as payments, cards, transfers and plans have it
SELECT coalesce(w.id, f.id) AS id FROM wallet_movement w FULL JOIN (
  SELECT user_id, at, id, type, amount, status, detail FROM payment_movement
  UNION ALL SELECT user_id, at, id, type, amount, status, detail FROM card_movement
  UNION ALL SELECT user_id, at, id, type, amount, status, detail FROM transfer_movement
  UNION ALL SELECT user_id, at, id, type, amount, status, detail FROM plan_movement
) f ON f.user_id = w.user_id AND f.id = w.id
WHERE (w.at, w.type, w.amount, w.status, w.detail) IS DISTINCT FROM (f.at, f.type, f.amount, f.status, f.detail);
-- recent
SELECT f.id FROM (
  SELECT user_id, at, id, type, amount, status, detail FROM payment_movement WHERE id IN (:payments)
  UNION ALL SELECT user_id, at, id, type, amount, status, detail FROM card_movement WHERE at >= :time AND at < :end_time
  UNION ALL SELECT user_id, at, id, type, amount, status, detail FROM transfer_movement
    WHERE id >= :transfer AND id < :end_transfer AND entry_transfer_id >= :transfer AND entry_transfer_id < :end_transfer
  UNION ALL SELECT user_id, at, id, type, amount, status, detail FROM plan_movement
    WHERE subscription_id >= :transfer AND subscription_id < :end_transfer
) f LEFT JOIN wallet_movement w ON f.user_id = w.user_id AND f.id = w.id
WHERE (w.at, w.type, w.amount, w.status, w.detail) IS DISTINCT FROM (f.at, f.type, f.amount, f.status, f.detail);

-- name: L41 the sums of a wallet are the sums of what moved it
SELECT user_id, grain, begins, kind, status FROM (SELECT * FROM wallet_sum WHERE lines <> 0 OR deposits <> 0 OR withdrawals <> 0) s
FULL JOIN movement_sum m USING (user_id, grain, begins, kind, status, gateway)
WHERE (s.deposits, s.withdrawals, s.lines) IS DISTINCT FROM (m.deposits, m.withdrawals, m.lines) OR m.days & ~s.days <> 0;
-- recent
-- The days on which something moved, their months by the sums of days, and the whole by the sums of months: what is looked at does
-- not grow with the age of an account.
WITH day AS MATERIALIZED (
  SELECT DISTINCT user_id, (at AT TIME ZONE 'Asia/Tehran')::date AS day FROM (:moved) moved
), month AS MATERIALIZED (
  SELECT DISTINCT user_id, date_trunc('month', day::timestamp)::date AS month FROM day
)
SELECT d.user_id, found.* FROM day d CROSS JOIN LATERAL (
  SELECT 'day' AS grain, d.day AS begins, kind, status FROM (
    SELECT * FROM wallet_sum WHERE user_id = d.user_id AND grain = 'day' AND begins = d.day
      AND (lines <> 0 OR deposits <> 0 OR withdrawals <> 0)
  ) s FULL JOIN (
    SELECT CASE WHEN type = 'subscription' AND detail IN ('renewal', 'credit') THEN 'subscription_' || detail ELSE type END AS kind, status,
      CASE type WHEN 'wallet_charge' THEN detail ELSE '' END AS gateway,
      sum(greatest(amount, 0)) AS deposits, sum(greatest(-amount, 0)) AS withdrawals, count(*) AS lines
    FROM wallet_movement WHERE user_id = d.user_id
      AND at >= d.day::timestamp AT TIME ZONE 'Asia/Tehran' AND at < (d.day + 1)::timestamp AT TIME ZONE 'Asia/Tehran'
    GROUP BY 1, 2, 3
  ) m USING (kind, status, gateway)
  WHERE (s.deposits, s.withdrawals, s.lines) IS DISTINCT FROM (m.deposits::bigint, m.withdrawals::bigint, m.lines)
) found
UNION ALL SELECT d.user_id, found.* FROM month d CROSS JOIN LATERAL (
  SELECT 'month', d.month, kind, status FROM (
    SELECT * FROM wallet_sum WHERE user_id = d.user_id AND grain = 'month' AND begins = d.month
  ) s FULL JOIN (
    SELECT kind, status, gateway, sum(deposits) AS deposits, sum(withdrawals) AS withdrawals, sum(lines) AS lines, bit_or(
      CASE WHEN status IN ('completed', 'refunded') AND lines <> 0 THEN 1 << (extract(day FROM begins)::int - 1) ELSE 0 END) AS days
    FROM wallet_sum WHERE user_id = d.user_id AND grain = 'day' AND begins >= d.month AND begins < (d.month + interval '1 month')::date
    GROUP BY 1, 2, 3
  ) m USING (kind, status, gateway)
  WHERE (s.deposits, s.withdrawals, s.lines) IS DISTINCT FROM (m.deposits::bigint, m.withdrawals::bigint, m.lines::bigint)
    OR m.days & ~s.days <> 0
) found
UNION ALL SELECT d.user_id, found.* FROM (SELECT DISTINCT user_id FROM day) d CROSS JOIN LATERAL (
  SELECT 'all', '0001-01-01'::date, kind, status FROM (
    SELECT * FROM wallet_sum WHERE user_id = d.user_id AND grain = 'all'
  ) s FULL JOIN (
    SELECT kind, status, gateway, sum(deposits) AS deposits, sum(withdrawals) AS withdrawals, sum(lines) AS lines
    FROM wallet_sum WHERE user_id = d.user_id AND grain = 'month' GROUP BY 1, 2, 3
  ) m USING (kind, status, gateway)
  WHERE (s.deposits, s.withdrawals, s.lines) IS DISTINCT FROM (m.deposits::bigint, m.withdrawals::bigint, m.lines::bigint)
) found;
-- month
-- The wallets of the month's share of users: a round over all months has each wallet once.
SELECT user_id, grain, begins, kind, status FROM (
  SELECT * FROM wallet_sum
  WHERE user_id >= :first_user AND user_id < :end_user AND (lines <> 0 OR deposits <> 0 OR withdrawals <> 0)
) s FULL JOIN (SELECT * FROM movement_sum WHERE user_id >= :first_user AND user_id < :end_user) m
USING (user_id, grain, begins, kind, status, gateway)
WHERE (s.deposits, s.withdrawals, s.lines) IS DISTINCT FROM (m.deposits, m.withdrawals, m.lines) OR m.days & ~s.days <> 0;
