-- What gift cards promise; run and explained with those of the ledger.

-- name: L12 a redeemed gift card has its one transfer, of its value, to the user who redeemed it
SELECT g.id FROM gift_card g
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card' AND t.source_id = g.id::text AND t.purpose = 'redeem'
LEFT JOIN ledger_account a ON a.owner_id = g.redeemed_by AND a.kind = 'user_wallet'
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE (g.status = 'redeemed') <> (t.id IS NOT NULL)
   OR (g.status = 'redeemed' AND g.credited_toman > 0 AND e.amount IS DISTINCT FROM g.credited_toman);
-- recent
SELECT touched.id FROM (
  SELECT id FROM gift_card WHERE redeemed_at >= :time AND redeemed_at < :end_time
  UNION SELECT uuid_of(source_id) FROM ledger_transfer
  WHERE id >= :transfer AND id < :end_transfer AND source_type = 'gift_card' AND purpose = 'redeem'
) touched
LEFT JOIN gift_card g ON g.id = touched.id
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card' AND t.source_id = g.id::text AND t.purpose = 'redeem'
LEFT JOIN ledger_account a ON a.owner_id = g.redeemed_by AND a.kind = 'user_wallet'
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE g.id IS NULL OR (g.status = 'redeemed') <> (t.id IS NOT NULL)
   OR (g.status = 'redeemed' AND g.credited_toman > 0 AND e.amount IS DISTINCT FROM g.credited_toman);

-- name: L30 a sale is the sum of its cards, and no more is paid than it was sold for
SELECT s.batch_id FROM gift_card_sale s
WHERE s.toman <> (SELECT coalesce(sum(sold_toman), 0) FROM gift_card WHERE batch_id = s.batch_id)
   OR s.toman < (SELECT coalesce(sum(toman), 0) FROM gift_card_payment WHERE batch_id = s.batch_id);
-- recent
SELECT s.batch_id FROM (
  SELECT batch_id FROM gift_card_sale WHERE created_at >= :time AND created_at < :end_time
  UNION SELECT batch_id FROM gift_card_payment WHERE created_at >= :time AND created_at < :end_time
) touched JOIN gift_card_sale s ON s.batch_id = touched.batch_id
WHERE s.toman <> (SELECT coalesce(sum(sold_toman), 0) FROM gift_card WHERE batch_id = s.batch_id)
   OR s.toman < (SELECT coalesce(sum(toman), 0) FROM gift_card_payment WHERE batch_id = s.batch_id);

-- name: L31 what sold cards left in the books is what the cards say: owed by shops, to redeem, broken, differences, given away
SELECT a.code, coalesce(e.total, 0) AS total, c.total AS cards FROM (
  SELECT 'receivable:gift-cards' AS code, (SELECT coalesce(sum(toman), 0) FROM gift_card_payment)
    - (SELECT coalesce(sum(toman), 0) FROM gift_card_sale) AS total
  UNION ALL SELECT 'liability:gift-cards', coalesce(sum(sold_toman) FILTER (WHERE status = 'active' AND broken_at IS NULL), 0) FROM gift_card
  UNION ALL SELECT 'revenue:gift-breakage', coalesce(sum(sold_toman) FILTER (WHERE broken_at IS NOT NULL), 0) FROM gift_card
  UNION ALL SELECT 'gift:rate-difference', coalesce(sum(sold_toman - credited_toman), 0) FROM gift_card
  UNION ALL SELECT 'gift:issued', -coalesce(sum(credited_toman) FILTER (WHERE sold_toman IS NULL), 0) FROM gift_card
) c
JOIN ledger_account a ON a.code = c.code
LEFT JOIN LATERAL (SELECT sum(amount) AS total FROM ledger_entry WHERE account_id = a.id) e ON true
WHERE coalesce(e.total, 0) <> c.total;
-- recent
-- Each movement is what its card, sale or payment says; of broken cards, all of them if one of them is new.
SELECT a.code, e.transfer_id::text AS id, e.amount FROM ledger_entry e
JOIN ledger_account a ON a.id = e.account_id AND a.code IN ('receivable:gift-cards', 'liability:gift-cards', 'gift:rate-difference', 'gift:issued')
JOIN ledger_transfer t ON t.id = e.transfer_id AND t.source_type <> 'gift_card_breakage'
LEFT JOIN gift_card g ON t.source_type = 'gift_card' AND g.id = uuid_of(t.source_id)
LEFT JOIN gift_card_sale s ON t.source_type = 'gift_card_sale' AND s.batch_id = uuid_of(t.source_id)
LEFT JOIN gift_card_payment p ON t.source_type = 'gift_card_payment' AND p.id = uuid_of(t.source_id)
WHERE e.transfer_id >= :transfer AND e.transfer_id < :end_transfer AND e.amount IS DISTINCT FROM CASE a.code
  WHEN 'receivable:gift-cards' THEN coalesce(p.toman, -s.toman)
  WHEN 'liability:gift-cards' THEN coalesce(s.toman, -g.sold_toman)
  WHEN 'gift:rate-difference' THEN g.sold_toman - g.credited_toman
  WHEN 'gift:issued' THEN CASE WHEN g.sold_toman IS NULL THEN -g.credited_toman END
END
UNION ALL
SELECT 'receivable:gift-cards', s.batch_id::text, s.toman FROM gift_card_sale s
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card_sale' AND t.source_id = s.batch_id::text
WHERE s.created_at >= :time AND s.created_at < :end_time AND t.id IS NULL
UNION ALL
SELECT 'revenue:gift-breakage', e.total::text, c.total FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry
   WHERE account_id = (SELECT id FROM ledger_account WHERE code = 'revenue:gift-breakage') AND account_version IS NULL) e,
  (SELECT coalesce(sum(sold_toman), 0) AS total FROM gift_card WHERE broken_at IS NOT NULL) c
WHERE e.total <> c.total AND (
  EXISTS (SELECT FROM gift_card WHERE broken_at >= :time AND broken_at < :end_time)
  OR EXISTS (SELECT FROM ledger_transfer WHERE id >= :transfer AND id < :end_transfer AND source_type = 'gift_card_breakage'));

-- name: L32 what sold cards brought in is in the bank or written off as its payments say
SELECT p.id FROM gift_card_payment p
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card_payment' AND t.source_id = p.id::text AND t.purpose = p.kind
LEFT JOIN ledger_account a ON a.code = CASE p.kind WHEN 'paid' THEN 'bank' ELSE 'writeoff' END
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE e.amount IS DISTINCT FROM -p.toman;
-- recent
SELECT p.id FROM gift_card_payment p
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card_payment' AND t.source_id = p.id::text AND t.purpose = p.kind
LEFT JOIN ledger_account a ON a.code = CASE p.kind WHEN 'paid' THEN 'bank' ELSE 'writeoff' END
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE p.created_at >= :time AND p.created_at < :end_time AND e.amount IS DISTINCT FROM -p.toman;

-- name: L33 a card that is void is not owed to anybody
SELECT id FROM gift_card WHERE status = 'void' AND sold_toman IS NOT NULL AND broken_at IS NULL;

-- name: L46 cards that a member issued are within the limit of their time, or as they were approved: by two, or by one alone who is marked
SELECT b.id FROM gift_card_batch b LEFT JOIN approval a ON a.id = b.approval_id
CROSS JOIN LATERAL (SELECT count(*) AS cards, sum(face_usd_cents) AS cents FROM gift_card WHERE batch_id = b.id) c
WHERE (b.alone_usd_cents IS NOT NULL AND (b.alone_usd_cents = c.cents AND b.alone_usd_cents <= b.limit_usd_cents) IS NOT TRUE)
   OR (b.approval_id IS NOT NULL AND (a.act = 'cards' AND a.state = 'done' AND (a.decided_by IS DISTINCT FROM a.proposed_by OR a.alone)
     AND c.cards = (a.payload ->> 'count')::bigint AND c.cents = c.cards * (a.payload ->> 'usd_cents')::bigint) IS NOT TRUE);
-- recent
SELECT b.id FROM gift_card_batch b LEFT JOIN approval a ON a.id = b.approval_id
CROSS JOIN LATERAL (SELECT count(*) AS cards, sum(face_usd_cents) AS cents FROM gift_card WHERE batch_id = b.id) c
WHERE b.created_at >= :time AND b.created_at < :end_time
  AND ((b.alone_usd_cents IS NOT NULL AND (b.alone_usd_cents = c.cents AND b.alone_usd_cents <= b.limit_usd_cents) IS NOT TRUE)
   OR (b.approval_id IS NOT NULL AND (a.act = 'cards' AND a.state = 'done' AND (a.decided_by IS DISTINCT FROM a.proposed_by OR a.alone)
     AND c.cards = (a.payload ->> 'count')::bigint AND c.cents = c.cards * (a.payload ->> 'usd_cents')::bigint) IS NOT TRUE));

-- name: L46b cards that were approved are issued
SELECT a.id FROM approval a
WHERE a.act = 'cards' AND a.state = 'done' AND NOT EXISTS (SELECT FROM gift_card_batch b WHERE b.approval_id = a.id);
-- recent
SELECT a.id FROM approval a
WHERE a.act = 'cards' AND a.state = 'done' AND a.decided_at >= :time AND a.decided_at < :end_time
  AND NOT EXISTS (SELECT FROM gift_card_batch b WHERE b.approval_id = a.id);
