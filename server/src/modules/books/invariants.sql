-- What the numbered documents promise; run and explained with the invariants of the ledger. They read every module whose facts
-- have documents.

-- name: N1 the numbers of a year begin at one, have no gap, and end where its counter says
SELECT coalesce(y.year, i.year) AS year, y.last_number, i.documents, i.first, i.last FROM invoice_year y
FULL JOIN (SELECT year, count(*) AS documents, min(number) AS first, max(number) AS last FROM invoice GROUP BY year) i ON i.year = y.year
WHERE (i.documents, i.first, i.last) IS DISTINCT FROM (y.last_number::bigint, 1, y.last_number);
-- recent
SELECT i.year, i.number FROM invoice i
WHERE i.issued_at >= :time AND i.issued_at < :end_time AND i.number > 1
  AND NOT EXISTS (SELECT FROM invoice before WHERE before.year = i.year AND before.number = i.number - 1)
UNION ALL SELECT y.year, y.last_number FROM invoice_year y
WHERE y.last_number IS DISTINCT FROM (SELECT number FROM invoice i WHERE i.year = y.year ORDER BY number DESC LIMIT 1);

-- name: N2 a credited payment has one receipt, of its amount and owner, and nothing else has one
SELECT p.id, i.id AS receipt FROM (SELECT * FROM payment WHERE state = 'completed') p
FULL JOIN (SELECT * FROM invoice WHERE kind = 'receipt') i ON i.source_id = p.id::text
WHERE (i.user_id, i.amount_toman) IS DISTINCT FROM (p.user_id, p.amount_toman);
-- recent
SELECT p.id::text, i.id AS receipt FROM payment p LEFT JOIN invoice i ON i.kind = 'receipt' AND i.source_id = p.id::text
WHERE p.state = 'completed' AND p.settled_at >= :time AND p.settled_at < :end_time
  AND (i.user_id, i.amount_toman) IS DISTINCT FROM (p.user_id, p.amount_toman)
UNION ALL SELECT i.source_id, i.id FROM invoice i LEFT JOIN payment p ON p.id = uuid_of(i.source_id) AND p.state = 'completed'
WHERE i.kind = 'receipt' AND i.issued_at >= :time AND i.issued_at < :end_time
  AND (i.user_id, i.amount_toman) IS DISTINCT FROM (p.user_id, p.amount_toman);

-- name: N3 what went back of a payment has one note, of its amount, which names the receipt
SELECT f.kind, f.id, i.id AS note FROM (
  SELECT 'refund' AS kind, id, payment_id, user_id, amount_toman FROM refund WHERE state = 'confirmed'
  UNION ALL SELECT 'reversal', payment_id, payment_id, user_id, amount_toman FROM payment_reversal
) f
FULL JOIN (SELECT * FROM invoice WHERE kind IN ('refund', 'reversal')) i ON i.kind = f.kind AND i.source_id = f.id::text
LEFT JOIN invoice r ON r.id = i.corrects
WHERE (i.user_id, i.amount_toman, r.kind, r.source_id) IS DISTINCT FROM (f.user_id, f.amount_toman, 'receipt'::text, f.payment_id::text);
-- recent
SELECT f.id, i.id AS note FROM (
  SELECT 'refund' AS kind, id, payment_id, user_id, amount_toman FROM refund
  WHERE state = 'confirmed' AND settled_at >= :time AND settled_at < :end_time
) f
LEFT JOIN invoice i ON i.kind = f.kind AND i.source_id = f.id::text LEFT JOIN invoice r ON r.id = i.corrects
WHERE (i.user_id, i.amount_toman, r.kind, r.source_id) IS DISTINCT FROM (f.user_id, f.amount_toman, 'receipt'::text, f.payment_id::text)
UNION ALL SELECT coalesce(f.id, v.payment_id), i.id FROM invoice i
LEFT JOIN refund f ON i.kind = 'refund' AND f.id = uuid_of(i.source_id) AND f.state = 'confirmed'
LEFT JOIN payment_reversal v ON i.kind = 'reversal' AND v.payment_id = uuid_of(i.source_id)
LEFT JOIN invoice r ON r.id = i.corrects
WHERE i.kind IN ('refund', 'reversal') AND i.issued_at >= :time AND i.issued_at < :end_time
  AND (i.user_id, i.amount_toman, r.kind, r.source_id) IS DISTINCT FROM (coalesce(f.user_id, v.user_id),
    coalesce(f.amount_toman, v.amount_toman), 'receipt'::text, coalesce(f.payment_id, v.payment_id)::text);

-- name: N4 a plan with a price has one invoice, and what was credited of it one credit note, which names the invoice
SELECT s.id, i.id AS invoice, c.id AS note FROM subscription s
FULL JOIN (SELECT * FROM invoice WHERE kind = 'plan') i ON i.source_id = s.id::text
FULL JOIN (SELECT * FROM invoice WHERE kind = 'plan_credit') c ON c.source_id = s.id::text
WHERE s.id IS NULL OR coalesce(i.amount_toman, 0) <> s.price_toman OR coalesce(c.amount_toman, 0) <> s.credited_toman
  OR i.user_id <> s.user_id OR c.user_id <> s.user_id OR (c.id IS NOT NULL AND c.corrects IS DISTINCT FROM i.id);
-- recent
SELECT touched.id, i.id AS invoice, c.id AS note FROM (
  SELECT id FROM subscription WHERE id >= :transfer AND id < :end_transfer
  UNION SELECT id FROM subscription WHERE ended_at >= :time AND ended_at < :end_time
  UNION SELECT uuid_of(source_id) FROM invoice
  WHERE kind IN ('plan', 'plan_credit') AND issued_at >= :time AND issued_at < :end_time
) touched
LEFT JOIN subscription s ON s.id = touched.id
LEFT JOIN invoice i ON i.kind = 'plan' AND i.source_id = touched.id::text
LEFT JOIN invoice c ON c.kind = 'plan_credit' AND c.source_id = touched.id::text
WHERE s.id IS NULL OR coalesce(i.amount_toman, 0) <> s.price_toman OR coalesce(c.amount_toman, 0) <> s.credited_toman
  OR i.user_id <> s.user_id OR c.user_id <> s.user_id OR (c.id IS NOT NULL AND c.corrects IS DISTINCT FROM i.id);

-- name: N5 no more is invoiced of a user's usage than was charged
SELECT i.user_id, i.toman, c.toman AS charged FROM (
  SELECT user_id, sum(amount_toman) AS toman FROM invoice WHERE kind = 'usage' GROUP BY 1
) i
LEFT JOIN (
  SELECT a.owner_id, -sum(e.amount) AS toman FROM ledger_transfer t
  JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
  WHERE t.kind = 'usage' AND a.owner_id IS NOT NULL GROUP BY 1
) c ON c.owner_id = i.user_id
WHERE i.toman > coalesce(c.toman, 0);
-- recent
SELECT i.user_id, i.toman, c.toman AS charged FROM (
  SELECT user_id, sum(amount_toman) AS toman FROM invoice
  WHERE kind = 'usage' AND user_id IN (SELECT user_id FROM invoice WHERE kind = 'usage' AND issued_at >= :time AND issued_at < :end_time) GROUP BY 1
) i
CROSS JOIN LATERAL (
  SELECT -sum(e.amount) AS toman FROM ledger_account a
  JOIN ledger_entry e ON e.account_id = a.id JOIN ledger_transfer t ON t.id = e.transfer_id
  WHERE a.owner_id = i.user_id AND t.kind = 'usage'
) c
WHERE i.toman > coalesce(c.toman, 0);

-- name: N6 a document's VAT is contained in its amount at its rate, and a credit note takes back its share of its invoice's
SELECT i.id, i.amount_toman, i.vat_percent, i.vat_toman FROM invoice i LEFT JOIN invoice o ON o.id = i.corrects
WHERE i.vat_toman <> CASE WHEN i.kind IN ('plan', 'usage') THEN div(2 * i.amount_toman::numeric * i.vat_percent + 100 + i.vat_percent, 200 + 2 * i.vat_percent)
  WHEN i.kind = 'plan_credit' AND o.id IS NOT NULL THEN div(2 * o.vat_toman::numeric * i.amount_toman + o.amount_toman, 2 * o.amount_toman)
  ELSE 0 END;
-- recent
SELECT i.id, i.amount_toman, i.vat_percent, i.vat_toman FROM invoice i LEFT JOIN invoice o ON o.id = i.corrects
WHERE i.issued_at >= :time AND i.issued_at < :end_time AND i.vat_toman <> CASE WHEN i.kind IN ('plan', 'usage') THEN div(2 * i.amount_toman::numeric * i.vat_percent + 100 + i.vat_percent, 200 + 2 * i.vat_percent)
  WHEN i.kind = 'plan_credit' AND o.id IS NOT NULL THEN div(2 * o.vat_toman::numeric * i.amount_toman + o.amount_toman, 2 * o.amount_toman)
  ELSE 0 END;

-- name: N7 the VAT account is the VAT of the invoices less that of the credit notes, and all of it was taken out of revenue
SELECT e.vat, e.revenue, v.total AS documents FROM
  (SELECT coalesce(sum(amount) FILTER (WHERE account_id = '00000000-0000-7000-8000-000000000041'), 0) AS vat,
    coalesce(sum(amount) FILTER (WHERE account_id = '00000000-0000-7000-8000-000000000042'), 0) AS revenue
  FROM ledger_entry WHERE account_id IN ('00000000-0000-7000-8000-000000000041', '00000000-0000-7000-8000-000000000042')) e,
  (SELECT coalesce(sum(CASE kind WHEN 'plan_credit' THEN -vat_toman ELSE vat_toman END), 0) AS total FROM invoice) v
WHERE e.vat <> v.total OR e.revenue <> -v.total;
-- recent
SELECT i.id FROM invoice i LEFT JOIN ledger_transfer t ON t.source_type = 'invoice' AND t.source_id = i.id::text
WHERE i.issued_at >= :time AND i.issued_at < :end_time AND i.kind IN ('plan', 'plan_credit') AND i.vat_toman > 0 AND t.id IS NULL;

-- name: N8 each booking of VAT is that of its document, or of the invoices of its month
SELECT t.id, t.source_type, t.source_id FROM ledger_transfer t
LEFT JOIN invoice i ON t.source_type = 'invoice' AND i.id::text = t.source_id
LEFT JOIN invoiced_month m ON t.source_type = 'invoiced_month' AND m.month = t.source_id
JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = '00000000-0000-7000-8000-000000000041'
WHERE t.kind = 'vat' AND e.amount IS DISTINCT FROM coalesce(CASE i.kind WHEN 'plan_credit' THEN -i.vat_toman ELSE i.vat_toman END, m.vat_toman);
-- recent
SELECT t.id, t.source_type, t.source_id FROM ledger_transfer t
LEFT JOIN invoice i ON t.source_type = 'invoice' AND i.id = uuid_of(t.source_id)
LEFT JOIN invoiced_month m ON t.source_type = 'invoiced_month' AND m.month = t.source_id
JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = '00000000-0000-7000-8000-000000000041'
WHERE t.kind = 'vat' AND t.id >= :transfer AND t.id < :end_transfer
  AND e.amount IS DISTINCT FROM coalesce(CASE i.kind WHEN 'plan_credit' THEN -i.vat_toman ELSE i.vat_toman END, m.vat_toman);
