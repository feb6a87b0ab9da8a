-- What settlement promises; run and explained with the invariants of the ledger.

-- name: S1 a gateway's clearing account is its credited payments less what went back and less what is settled
SELECT a.code, coalesce(e.total, 0) AS booked, coalesce(p.total, 0) AS owed
FROM ledger_account a
LEFT JOIN (SELECT account_id, sum(amount) AS total FROM ledger_entry WHERE account_version IS NULL GROUP BY account_id) e
  ON e.account_id = a.id
LEFT JOIN (
  SELECT gateway, sum(amount) AS total FROM (
    SELECT gateway, amount_toman AS amount FROM payment WHERE state = 'completed'
    UNION ALL SELECT gateway, -amount_toman FROM refund WHERE state = 'confirmed'
    UNION ALL SELECT p.gateway, -v.amount_toman FROM payment_reversal v JOIN payment p ON p.id = v.payment_id
    UNION ALL SELECT gateway, -amount_toman FROM settled_item
  ) moves GROUP BY gateway
) p ON a.code = 'gateway:' || p.gateway || ':clearing'
WHERE a.code LIKE 'gateway:%:clearing' AND coalesce(e.total, 0) <> -coalesce(p.total, 0);
-- recent
SELECT a.code, e.transfer_id, e.amount, i.total FROM ledger_transfer t
JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id AND a.code LIKE 'gateway:%:clearing'
LEFT JOIN LATERAL (
  SELECT sum(amount_toman) AS total FROM settled_item
  WHERE booking_id = uuid_of(t.source_id) AND a.code = 'gateway:' || gateway || ':clearing'
) i ON true
WHERE t.id >= :transfer AND t.id < :end_transfer AND t.kind = 'settlement' AND e.amount IS DISTINCT FROM i.total;

-- name: S2 each booking has its transfer, and the transfer its sums
SELECT b.id FROM settlement_booking b
LEFT JOIN ledger_transfer t ON t.source_type = 'settlement' AND t.source_id = b.id::text AND t.purpose = 'book'
LEFT JOIN LATERAL (
  SELECT coalesce(sum(e.amount) FILTER (WHERE a.code = 'gateway:' || b.gateway || ':clearing'), 0) AS clearing,
    coalesce(sum(e.amount) FILTER (WHERE a.code = 'bank'), 0) AS bank,
    coalesce(sum(e.amount) FILTER (WHERE a.code = 'fee'), 0) AS fee,
    coalesce(sum(e.amount) FILTER (WHERE a.code = 'settlement:difference'), 0) AS difference
  FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE e.transfer_id = t.id
) sums ON true
WHERE (sums.clearing, -sums.bank, -sums.fee, -sums.difference)
    IS DISTINCT FROM (b.clearing_toman, b.bank_toman, b.fee_toman, b.difference_toman)
  OR (t.id IS NULL) <> (b.clearing_toman = 0 AND b.bank_toman = 0 AND b.fee_toman = 0 AND b.difference_toman = 0)
  OR (t.id IS NOT NULL AND t.kind <> 'settlement');
-- recent
SELECT b.id FROM settlement_booking b
LEFT JOIN ledger_transfer t ON t.source_type = 'settlement' AND t.source_id = b.id::text AND t.purpose = 'book'
LEFT JOIN LATERAL (
  SELECT coalesce(sum(e.amount) FILTER (WHERE a.code = 'gateway:' || b.gateway || ':clearing'), 0) AS clearing,
    coalesce(sum(e.amount) FILTER (WHERE a.code = 'bank'), 0) AS bank,
    coalesce(sum(e.amount) FILTER (WHERE a.code = 'fee'), 0) AS fee,
    coalesce(sum(e.amount) FILTER (WHERE a.code = 'settlement:difference'), 0) AS difference
  FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE e.transfer_id = t.id
) sums ON true
WHERE b.id >= :transfer AND b.id < :end_transfer
  AND ((sums.clearing, -sums.bank, -sums.fee, -sums.difference)
    IS DISTINCT FROM (b.clearing_toman, b.bank_toman, b.fee_toman, b.difference_toman)
  OR (t.id IS NULL) <> (b.clearing_toman = 0 AND b.bank_toman = 0 AND b.fee_toman = 0 AND b.difference_toman = 0)
  OR (t.id IS NOT NULL AND t.kind <> 'settlement'));

-- name: S2b each transfer of a settlement has its booking
SELECT t.id FROM ledger_transfer t LEFT JOIN settlement_booking b ON b.id::text = t.source_id
WHERE (t.kind = 'settlement' OR t.source_type = 'settlement') AND b.id IS NULL;
-- recent
SELECT t.id FROM ledger_transfer t LEFT JOIN settlement_booking b ON b.id = uuid_of(t.source_id)
WHERE (t.kind = 'settlement' OR t.source_type = 'settlement') AND b.id IS NULL
  AND t.id >= :transfer AND t.id < :end_transfer;

-- name: S3 what settlement booked to bank and fees is what its lines say, and what was resolved without a line
SELECT a.code, e.total, s.total AS said FROM (
  SELECT 'bank' AS code, coalesce(sum(amount), 0) AS total FROM (
    SELECT amount_rial / 10 - fee_toman AS amount FROM settlement_line WHERE booking_id IS NOT NULL
    UNION ALL
    SELECT bank_toman FROM settlement_booking b WHERE NOT EXISTS (SELECT 1 FROM settlement_line l WHERE l.booking_id = b.id)
  ) lines
  UNION ALL SELECT 'fee', coalesce(sum(fee_toman), 0) FROM settlement_line WHERE booking_id IS NOT NULL
) s
JOIN ledger_account a ON a.code = s.code
CROSS JOIN LATERAL (
  SELECT coalesce(sum(e.amount), 0) AS total FROM ledger_entry e JOIN ledger_transfer t ON t.id = e.transfer_id
  WHERE e.account_id = a.id AND t.kind = 'settlement'
) e
WHERE e.total <> -s.total;
-- recent
SELECT b.id, b.bank_toman, b.fee_toman FROM settlement_booking b
LEFT JOIN LATERAL (
  SELECT sum(amount_rial / 10 - fee_toman) AS bank, sum(fee_toman) AS fee FROM settlement_line WHERE booking_id = b.id
) l ON true
WHERE b.id >= :transfer AND b.id < :end_transfer AND (b.bank_toman <> coalesce(l.bank, b.bank_toman) OR b.fee_toman <> coalesce(l.fee, 0))
UNION ALL
SELECT b.id, b.bank_toman, b.fee_toman FROM ledger_transfer t
JOIN settlement_booking b ON b.id = uuid_of(t.source_id)
CROSS JOIN LATERAL (
  SELECT coalesce(sum(e.amount) FILTER (WHERE a.code = 'bank'), 0) AS bank, coalesce(sum(e.amount) FILTER (WHERE a.code = 'fee'), 0) AS fee
  FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE e.transfer_id = t.id
) moved
WHERE t.id >= :transfer AND t.id < :end_transfer AND t.kind = 'settlement' AND (moved.bank, moved.fee) <> (-b.bank_toman, -b.fee_toman);

-- name: S4 what is settled is a payment, refund or reversal of the gateway, with its amount
SELECT i.kind, i.item_id FROM settled_item i
LEFT JOIN LATERAL (
  SELECT amount_toman AS amount, gateway FROM payment WHERE i.kind = 'payment' AND id = i.item_id AND state = 'completed'
  UNION ALL
  SELECT -amount_toman, gateway FROM refund WHERE i.kind = 'refund' AND id = i.item_id AND state = 'confirmed'
  UNION ALL
  SELECT -v.amount_toman, p.gateway FROM payment_reversal v JOIN payment p ON p.id = v.payment_id
  WHERE i.kind = 'reversal' AND v.payment_id = i.item_id
) ours ON true
WHERE (ours.amount, ours.gateway) IS DISTINCT FROM (i.amount_toman, i.gateway);
-- recent
SELECT i.kind, i.item_id FROM settlement_booking b JOIN settled_item i ON i.booking_id = b.id
LEFT JOIN LATERAL (
  SELECT amount_toman AS amount, gateway FROM payment WHERE i.kind = 'payment' AND id = i.item_id AND state = 'completed'
  UNION ALL
  SELECT -amount_toman, gateway FROM refund WHERE i.kind = 'refund' AND id = i.item_id AND state = 'confirmed'
  UNION ALL
  SELECT -v.amount_toman, p.gateway FROM payment_reversal v JOIN payment p ON p.id = v.payment_id
  WHERE i.kind = 'reversal' AND v.payment_id = i.item_id
) ours ON true
WHERE b.id >= :transfer AND b.id < :end_transfer
  AND (ours.amount, ours.gateway) IS DISTINCT FROM (i.amount_toman, i.gateway);

-- name: S5 a booking takes from clearing what it settles, and is of the gateway of its lines
SELECT b.id FROM settlement_booking b
LEFT JOIN (SELECT booking_id, sum(amount_toman) AS total, min(gateway) AS gateway FROM settled_item GROUP BY 1) i ON i.booking_id = b.id
LEFT JOIN (SELECT booking_id, min(gateway) AS gateway, max(gateway) AS other FROM settlement_line GROUP BY 1) l ON l.booking_id = b.id
WHERE b.clearing_toman <> coalesce(i.total, 0) OR coalesce(i.gateway, b.gateway) <> b.gateway
  OR coalesce(l.gateway, b.gateway) <> b.gateway OR coalesce(l.other, b.gateway) <> b.gateway;
-- recent
SELECT b.id FROM settlement_booking b
LEFT JOIN LATERAL (SELECT sum(amount_toman) AS total, min(gateway) AS gateway FROM settled_item WHERE booking_id = b.id) i ON true
LEFT JOIN LATERAL (SELECT min(gateway) AS gateway, max(gateway) AS other FROM settlement_line WHERE booking_id = b.id) l ON true
WHERE b.id >= :transfer AND b.id < :end_transfer AND (b.clearing_toman <> coalesce(i.total, 0) OR coalesce(i.gateway, b.gateway) <> b.gateway
  OR coalesce(l.gateway, b.gateway) <> b.gateway OR coalesce(l.other, b.gateway) <> b.gateway);

-- name: S6 every line of a file is booked or listed as a difference
SELECT l.id FROM settlement_line l LEFT JOIN settlement_difference d ON d.line_id = l.id
WHERE (l.booking_id IS NULL AND coalesce(d.state, 'solved') = 'solved') OR (l.booking_id IS NOT NULL AND d.state = 'open');
-- recent
SELECT l.id FROM (
  SELECT n.id FROM settlement_file f JOIN settlement_line n ON n.file_id = f.id WHERE f.id >= :transfer AND f.id < :end_transfer
  UNION SELECT n.id FROM settlement_booking b JOIN settlement_line n ON n.booking_id = b.id WHERE b.id >= :transfer AND b.id < :end_transfer
  UNION SELECT line_id FROM settlement_difference WHERE state = 'open' AND line_id IS NOT NULL
) touched JOIN settlement_line l ON l.id = touched.id LEFT JOIN settlement_difference d ON d.line_id = l.id
WHERE (l.booking_id IS NULL AND coalesce(d.state, 'solved') = 'solved') OR (l.booking_id IS NOT NULL AND d.state = 'open');

-- name: S7 nothing settled is listed as missing
SELECT d.id FROM settlement_difference d JOIN settled_item i ON i.kind = d.item_kind AND i.item_id = d.item_id
WHERE d.state = 'open';
