-- Invariants of money and metering. Each query returns no row while its invariant holds. Run after every test that moves
-- money, every minute in production, and after a restore. Names follow docs/decisions.
-- Where the history only grows, a `recent` query proves the part since :transfer (an id) or :time, given that everything
-- before it held: that is what runs every minute, and the whole once a day.

-- name: L1 every transfer balances, has at least two entries and no zero entry
SELECT t.id, sum(e.amount) AS total, count(e.amount) AS lines
FROM ledger_transfer t LEFT JOIN ledger_entry e ON e.transfer_id = t.id
GROUP BY t.id HAVING coalesce(sum(e.amount), 0) <> 0 OR count(e.amount) < 2 OR bool_or(e.amount = 0);
-- recent
SELECT t.id, sum(e.amount) AS total, count(e.amount) AS lines
FROM ledger_transfer t LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.transfer_id >= :transfer
WHERE t.id >= :transfer
GROUP BY t.id HAVING coalesce(sum(e.amount), 0) <> 0 OR count(e.amount) < 2 OR bool_or(e.amount = 0);

-- name: L2 the whole ledger sums to zero
SELECT sum(amount) AS total FROM ledger_entry HAVING sum(amount) <> 0;
-- recent
SELECT sum(amount) AS total FROM ledger_entry WHERE transfer_id >= :transfer HAVING sum(amount) <> 0;

-- name: L3 a balance row is the sum of its entries and the balance after the last one
SELECT a.id, a.balance, s.total, l.balance_after
FROM ledger_account a
LEFT JOIN (SELECT account_id, sum(amount) AS total, max(account_version) AS version FROM ledger_entry GROUP BY account_id) s ON s.account_id = a.id
LEFT JOIN ledger_entry l ON l.account_id = a.id AND l.account_version = s.version
WHERE a.kind <> 'house' AND (a.balance <> coalesce(s.total, 0) OR a.version <> coalesce(s.version, 0) OR a.balance <> coalesce(l.balance_after, 0));
-- recent
SELECT a.id, a.balance, l.balance_after
FROM (
  SELECT account_id, max(account_version) AS version FROM ledger_entry
  WHERE transfer_id >= :transfer AND account_version IS NOT NULL GROUP BY account_id
) touched
JOIN ledger_account a ON a.id = touched.account_id
LEFT JOIN ledger_entry l ON l.account_id = a.id AND l.account_version = a.version
WHERE a.version < touched.version OR l.balance_after IS DISTINCT FROM a.balance;

-- name: L4 account versions have no gap and each balance follows from the one before
SELECT account_id, account_version FROM (
  SELECT account_id, account_version, amount, balance_after,
    lag(account_version, 1, 0::bigint) OVER w AS version_before, lag(balance_after, 1, 0::bigint) OVER w AS balance_before
  FROM ledger_entry WHERE account_version IS NOT NULL
  WINDOW w AS (PARTITION BY account_id ORDER BY account_version)
) chain WHERE account_version <> version_before + 1 OR balance_after <> balance_before + amount;
-- recent
SELECT e.account_id, e.account_version
FROM ledger_entry e LEFT JOIN ledger_entry before ON before.account_id = e.account_id AND before.account_version = e.account_version - 1
WHERE e.transfer_id >= :transfer AND e.account_version IS NOT NULL
  AND ((before.account_id IS NULL) <> (e.account_version = 1) OR e.balance_after <> coalesce(before.balance_after, 0) + e.amount);

-- name: L6 one transfer per cause
SELECT source_type, source_id, purpose FROM ledger_transfer GROUP BY 1, 2, 3 HAVING count(*) > 1;
-- recent
SELECT source_type, source_id, purpose FROM ledger_transfer WHERE id >= :transfer GROUP BY 1, 2, 3 HAVING count(*) > 1;

-- name: L7 no wallet and no lease account below zero
SELECT id, balance FROM ledger_account WHERE kind <> 'house' AND balance < 0;

-- name: L9 a payment has its one credit exactly when it is completed
SELECT p.id, p.state, count(t.id) AS credits
FROM payment p LEFT JOIN ledger_transfer t ON t.source_type = 'payment' AND t.source_id = p.id::text AND t.purpose = 'credit'
GROUP BY p.id HAVING (p.state = 'completed') <> (count(t.id) = 1) OR count(t.id) > 1;

-- name: L10 a payment's credit is its amount, on its owner's wallet
SELECT p.id FROM payment p
JOIN ledger_transfer t ON t.source_type = 'payment' AND t.source_id = p.id::text AND t.purpose = 'credit'
LEFT JOIN ledger_account a ON a.owner_id = p.user_id AND a.kind = 'user_wallet'
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE e.amount IS DISTINCT FROM p.amount_toman;

-- name: L11 a completed payment keeps the gateway's answer
SELECT id FROM payment WHERE state = 'completed' AND (evidence IS NULL OR gateway_reference IS NULL OR ref_id IS NULL);

-- name: L12 a redeemed gift card has its one transfer, of its value, to the user who redeemed it
SELECT g.id FROM gift_card g
LEFT JOIN ledger_transfer t ON t.source_type = 'gift_card' AND t.source_id = g.id::text AND t.purpose = 'redeem'
LEFT JOIN ledger_account a ON a.owner_id = g.redeemed_by AND a.kind = 'user_wallet'
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = a.id
WHERE (g.status = 'redeemed') <> (t.id IS NOT NULL)
   OR (g.status = 'redeemed' AND g.credited_toman > 0 AND e.amount IS DISTINCT FROM g.credited_toman);

-- name: L13 what was charged for a config is the price of its billed bytes, segment by segment
SELECT m.config_id, c.charged, p.priced
FROM meter m
CROSS JOIN LATERAL (
  SELECT m.hour_charged + coalesce((SELECT sum(charged_toman) FROM usage_hour h WHERE h.config_id = m.config_id), 0) AS charged
) c
CROSS JOIN LATERAL (
  SELECT charge_toman(greatest(m.billed_bytes - m.segment_start, 0), m.segment_price)
    + coalesce((SELECT sum(charge_toman(greatest(least(s.end_byte, m.billed_bytes) - s.start_byte, 0), s.price))
                FROM price_segment s WHERE s.config_id = m.config_id), 0) AS priced
) p
WHERE c.charged <> p.priced;
-- recent
SELECT m.config_id, c.charged, p.priced
FROM meter m
CROSS JOIN LATERAL (
  SELECT m.hour_charged + coalesce((SELECT sum(charged_toman) FROM usage_hour h WHERE h.config_id = m.config_id), 0) AS charged
) c
CROSS JOIN LATERAL (
  SELECT charge_toman(greatest(m.billed_bytes - m.segment_start, 0), m.segment_price)
    + coalesce((SELECT sum(charge_toman(greatest(least(s.end_byte, m.billed_bytes) - s.start_byte, 0), s.price))
                FROM price_segment s WHERE s.config_id = m.config_id), 0) AS priced
) p
WHERE c.charged <> p.priced
  AND m.sampled_at >= :time;

-- name: L15 a user's lease account is the price of the bytes still open in their leases, and of those used but not booked
SELECT a.owner_id, a.balance, coalesce(o.open, 0) AS open
FROM ledger_account a
LEFT JOIN (
  SELECT m.user_id, sum(
    m.unbooked_toman + charge_toman(m.lease_limit_bytes - m.segment_start, m.segment_price)
    - charge_toman(greatest(m.billed_bytes - m.segment_start, 0), m.segment_price)
    + coalesce((SELECT sum(charge_toman(s.end_byte - s.start_byte, s.price)
                         - charge_toman(greatest(least(s.end_byte, m.billed_bytes) - s.start_byte, 0), s.price))
                FROM price_segment s WHERE s.config_id = m.config_id), 0)
  ) AS open
  FROM meter m GROUP BY m.user_id
) o ON o.user_id = a.owner_id
WHERE a.kind = 'user_lease' AND a.balance <> coalesce(o.open, 0);

-- name: L14 a refund has left the wallet once, and came back or arrived at most once
SELECT r.id, r.state, t.purposes
FROM refund r
LEFT JOIN LATERAL (
  SELECT string_agg(purpose, ' ' ORDER BY purpose) AS purposes FROM ledger_transfer
  WHERE source_type = 'refund' AND source_id = r.id::text
) t ON true
WHERE t.purposes IS DISTINCT FROM CASE r.state WHEN 'confirmed' THEN 'confirm reserve' WHEN 'failed' THEN 'reserve return' ELSE 'reserve' END;

-- name: L14b refunds of a payment never exceed it, are of its owner and of a completed payment
SELECT p.id FROM payment p JOIN refund r ON r.payment_id = p.id
GROUP BY p.id HAVING coalesce(sum(r.amount_toman) FILTER (WHERE r.state <> 'failed'), 0) > p.amount_toman
  OR p.state <> 'completed' OR bool_or(r.user_id <> p.user_id OR r.gateway <> p.gateway);

-- name: L14c money on its way back is the sum of the refunds under way
SELECT e.total, r.total AS open FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE a.code = 'refund:clearing') e,
  (SELECT coalesce(sum(amount_toman), 0) AS total FROM refund WHERE state NOT IN ('confirmed', 'failed')) r
WHERE e.total <> r.total;

-- name: L16 a gateway's clearing account is its credited payments less what went back
SELECT a.code, coalesce(e.total, 0) AS booked, coalesce(p.total, 0) AS credited
FROM ledger_account a
LEFT JOIN (SELECT account_id, sum(amount) AS total FROM ledger_entry GROUP BY account_id) e ON e.account_id = a.id
LEFT JOIN (
  SELECT gateway, sum(amount) AS total FROM (
    SELECT gateway, amount_toman AS amount FROM payment WHERE state = 'completed'
    UNION ALL SELECT gateway, -amount_toman FROM refund WHERE state = 'confirmed'
    UNION ALL SELECT p.gateway, -v.amount_toman FROM payment_reversal v JOIN payment p ON p.id = v.payment_id
  ) moves GROUP BY gateway
) p
  ON a.code = 'gateway:' || p.gateway || ':clearing'
WHERE a.code LIKE 'gateway:%:clearing' AND coalesce(e.total, 0) <> -coalesce(p.total, 0);

-- name: L16b what people owe after reversals is what the receivable account says
SELECT e.total, v.owed FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE a.code = 'receivable:chargeback') e,
  (SELECT coalesce(sum(owed_toman), 0) AS owed FROM payment_reversal) v
WHERE e.total <> -v.owed;

-- name: L17 a transfer between people moved its amount from one wallet to the other
SELECT w.id FROM wallet_transfer w
LEFT JOIN ledger_transfer t ON t.source_type = 'wallet_transfer' AND t.source_id = w.id::text
LEFT JOIN ledger_account f ON f.owner_id = w.from_user_id AND f.kind = 'user_wallet'
LEFT JOIN ledger_account g ON g.owner_id = w.to_user_id AND g.kind = 'user_wallet'
LEFT JOIN ledger_entry o ON o.transfer_id = t.id AND o.account_id = f.id
LEFT JOIN ledger_entry i ON i.transfer_id = t.id AND i.account_id = g.id
WHERE o.amount IS DISTINCT FROM -w.amount_toman OR i.amount IS DISTINCT FROM w.amount_toman;

-- name: L22 a subscription was paid once, at its price, by its owner, and credited what it says
SELECT s.id FROM subscription s
LEFT JOIN ledger_account a ON a.owner_id = s.user_id AND a.kind = 'user_wallet'
LEFT JOIN ledger_transfer p ON p.source_type = 'subscription' AND p.source_id = s.id::text AND p.purpose = 'purchase'
LEFT JOIN ledger_entry pe ON pe.transfer_id = p.id AND pe.account_id = a.id
LEFT JOIN ledger_transfer c ON c.source_type = 'subscription' AND c.source_id = s.id::text AND c.purpose = 'credit'
LEFT JOIN ledger_entry ce ON ce.transfer_id = c.id AND ce.account_id = a.id
WHERE coalesce(pe.amount, 0) <> -s.price_toman OR coalesce(ce.amount, 0) <> s.credited_toman;

-- name: L23 the revenue of plans is what they cost less what was credited
SELECT e.total, s.total AS sold FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry WHERE account_id = '00000000-0000-7000-8000-000000000020') e,
  (SELECT coalesce(sum(price_toman - credited_toman), 0) AS total FROM subscription) s
WHERE e.total <> s.total;

-- name: L20 what a subscription has given out is what lies in the leases of its owner's configs
SELECT s.id, s.granted_bytes, coalesce(g.bytes, 0) AS leased
FROM subscription s
LEFT JOIN (
  SELECT id, sum(bytes) AS bytes FROM (
    SELECT segment_subscription_id AS id, lease_limit_bytes - segment_start AS bytes FROM meter WHERE segment_subscription_id IS NOT NULL
    UNION ALL
    SELECT subscription_id, end_byte - start_byte FROM price_segment WHERE subscription_id IS NOT NULL
  ) parts GROUP BY id
) g ON g.id = s.id
WHERE s.granted_bytes <> coalesce(g.bytes, 0);

-- name: L24 what is carried from used-up subscriptions is carried to others of the same user
SELECT user_id, sum(carried_bytes) AS carried FROM subscription GROUP BY user_id
HAVING sum(carried_bytes) <> 0 OR bool_or(carried_bytes < 0 AND end_reason IS DISTINCT FROM 'used_up');

-- name: L25 no subscription has given anything before it began, but for those of a time in which it could
SELECT id, first_given_at, starts_at FROM subscription WHERE first_given_at < starts_at;

-- name: L21 of one user one subscription runs at a time
SELECT a.id, b.id AS other FROM subscription a JOIN subscription b ON b.user_id = a.user_id AND b.id > a.id
WHERE a.ended_at IS NULL AND b.ended_at IS NULL AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at;

-- name: L19 every amount survives JSON
SELECT transfer_id FROM ledger_entry WHERE abs(amount) > 9007199254740991 OR abs(coalesce(balance_after, 0)) > 9007199254740991;
-- recent
SELECT transfer_id FROM ledger_entry
WHERE transfer_id >= :transfer AND (abs(amount) > 9007199254740991 OR abs(coalesce(balance_after, 0)) > 9007199254740991);

-- name: P1 bytes billed never exceed the bytes that nodes have counted
SELECT m.config_id, m.billed_bytes FROM meter m
WHERE m.billed_bytes + m.unbilled_bytes <> m.epoch_up + m.epoch_down + coalesce(
  (SELECT sum(e.up + e.down) FROM meter_epoch e WHERE e.config_id = m.config_id AND e.epoch IS DISTINCT FROM m.epoch), 0);
