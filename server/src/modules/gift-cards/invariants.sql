-- What gift cards promise; run and explained with those of the ledger.

-- name: L12 a redeemed gift card has its one transfer, of its value, to the user who redeemed it
SELECT g.id FROM gift_card g
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card' AND t.source_id = g.id::text AND t.purpose = 'redeem'
LEFT JOIN ledger_account a ON a.owner_id = g.redeemed_by AND a.kind = 'user_wallet'
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE (g.status = 'redeemed') <> (t.id IS NOT NULL)
   OR (g.status = 'redeemed' AND g.credited_toman > 0 AND e.amount IS DISTINCT FROM g.credited_toman);
