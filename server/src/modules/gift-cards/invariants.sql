-- What gift cards promise; run and explained with those of the ledger.

-- name: L12 a redeemed gift card has its one transfer, of its value, to the user who redeemed it
SELECT g.id FROM gift_card g
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card' AND t.source_id = g.id::text AND t.purpose = 'redeem'
LEFT JOIN ledger_account a ON a.owner_id = g.redeemed_by AND a.kind = 'user_wallet'
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE (g.status = 'redeemed') <> (t.id IS NOT NULL)
   OR (g.status = 'redeemed' AND g.credited_toman > 0 AND e.amount IS DISTINCT FROM g.credited_toman);

-- name: L30 a sale is the sum of its cards, and no more is paid than it was sold for
SELECT s.batch_id FROM gift_card_sale s
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

-- name: L32 what sold cards brought in is in the bank or written off as its payments say
SELECT p.id FROM gift_card_payment p
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card_payment' AND t.source_id = p.id::text AND t.purpose = p.kind
LEFT JOIN ledger_account a ON a.code = CASE p.kind WHEN 'paid' THEN 'bank' ELSE 'writeoff' END
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE e.amount IS DISTINCT FROM -p.toman;

-- name: L33 a card that is void is not owed to anybody
SELECT id FROM gift_card WHERE status = 'void' AND sold_toman IS NOT NULL AND broken_at IS NULL;
