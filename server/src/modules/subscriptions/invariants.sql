-- What subscriptions promise; run and explained with those of the ledger.

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

-- name: L24 what is carried from used-up subscriptions is carried to others of the same user
SELECT user_id, sum(carried_bytes) AS carried FROM subscription GROUP BY user_id
HAVING sum(carried_bytes) <> 0 OR bool_or(carried_bytes < 0 AND end_reason IS DISTINCT FROM 'used_up');

-- name: L25 no subscription has given anything before it began, but for those of a time in which it could
SELECT id, first_given_at, starts_at FROM subscription WHERE first_given_at < starts_at;

-- name: L21 of one user one subscription runs at a time
SELECT a.id, b.id AS other FROM subscription a JOIN subscription b ON b.user_id = a.user_id AND b.id > a.id
WHERE a.ended_at IS NULL AND b.ended_at IS NULL AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at;
