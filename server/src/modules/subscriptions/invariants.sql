-- What subscriptions promise; run and explained with those of the ledger.

-- set: touched
SELECT id FROM subscription WHERE id >= :transfer AND id < :end_transfer
UNION SELECT id FROM subscription WHERE ended_at >= :time AND ended_at < :end_time
UNION SELECT uuid_of(source_id) FROM ledger_transfer WHERE id >= :transfer AND id < :end_transfer AND source_type = 'subscription'

-- Earning a day changes every plan that runs: all of them are looked at when the last day was booked, and at no other time.
-- set: earned
SELECT booked_at >= :time AND booked_at < :end_time FROM earned_day ORDER BY day DESC LIMIT 1

-- name: L22 a subscription was paid once, at its price, by its owner, and credited what it says
SELECT s.id FROM subscription s
LEFT JOIN ledger_account a ON a.owner_id = s.user_id AND a.kind = 'user_wallet'
LEFT JOIN ledger_transfer p ON p.source_type = 'subscription' AND p.source_id = s.id::text AND p.purpose = 'purchase'
LEFT JOIN ledger_entry pe ON pe.transfer_id = p.id AND pe.account_id = a.id
LEFT JOIN ledger_transfer c ON c.source_type = 'subscription' AND c.source_id = s.id::text AND c.purpose = 'credit'
LEFT JOIN ledger_entry ce ON ce.transfer_id = c.id AND ce.account_id = a.id
WHERE coalesce(pe.amount, 0) <> -s.price_toman OR coalesce(ce.amount, 0) <> s.credited_toman;
-- recent
SELECT touched.id FROM (:touched) touched
LEFT JOIN subscription s ON s.id = touched.id
LEFT JOIN ledger_account a ON a.owner_id = s.user_id AND a.kind = 'user_wallet'
LEFT JOIN ledger_transfer p ON p.source_type = 'subscription' AND p.source_id = s.id::text AND p.purpose = 'purchase'
LEFT JOIN ledger_entry pe ON pe.transfer_id = p.id AND pe.account_id = a.id
LEFT JOIN ledger_transfer c ON c.source_type = 'subscription' AND c.source_id = s.id::text AND c.purpose = 'credit'
LEFT JOIN ledger_entry ce ON ce.transfer_id = c.id AND ce.account_id = a.id
WHERE s.id IS NULL OR coalesce(pe.amount, 0) <> -s.price_toman OR coalesce(ce.amount, 0) <> s.credited_toman;

-- name: L23 what plans cost less what was credited is earned, kept at an early end, or not earned yet
SELECT e.total, s.total AS sold FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry WHERE account_id IN
    ('00000000-0000-7000-8000-000000000020', '00000000-0000-7000-8000-000000000021', '00000000-0000-7000-8000-000000000022')) e,
  (SELECT coalesce(sum(price_toman - credited_toman), 0) AS total FROM subscription) s
WHERE e.total <> s.total;
-- recent
SELECT t.id, moved.total FROM (
  SELECT transfer_id, sum(amount) AS total FROM ledger_entry
  WHERE transfer_id >= :transfer AND transfer_id < :end_transfer AND account_id IN
    ('00000000-0000-7000-8000-000000000020', '00000000-0000-7000-8000-000000000021', '00000000-0000-7000-8000-000000000022')
  GROUP BY transfer_id
) moved JOIN ledger_transfer t ON t.id = moved.transfer_id
LEFT JOIN subscription s ON t.source_type = 'subscription' AND s.id = uuid_of(t.source_id)
WHERE moved.total IS DISTINCT FROM CASE
  WHEN t.source_type IN ('earned_day', 'upgrade') THEN 0
  WHEN s.id IS NULL THEN NULL
  WHEN t.purpose = 'purchase' THEN s.price_toman
  WHEN t.purpose = 'credit' THEN -s.credited_toman
  WHEN t.purpose = 'end' THEN 0
END;

-- name: L27 deferred is what the plans have not earned yet
SELECT e.total, u.total AS unearned FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry WHERE account_id = '00000000-0000-7000-8000-000000000021') e,
  (SELECT coalesce(sum(toman), 0) AS total FROM unearned_plan) u
WHERE e.total <> u.total;
-- recent
SELECT e.total, u.total AS unearned FROM
  (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry
   WHERE account_id = '00000000-0000-7000-8000-000000000021' AND account_version IS NULL) e,
  (SELECT coalesce(sum(toman), 0) AS total FROM unearned_plan) u
WHERE (:earned)
  AND e.total <> u.total;

-- name: L28 a plan that has ended has earned everything, and one that runs has earned each day that is booked
SELECT u.subscription_id, u.toman FROM unearned_plan u JOIN subscription s ON s.id = u.subscription_id
CROSS JOIN (SELECT max(day) AS day FROM earned_day) last
WHERE s.ended_at IS NOT NULL OR u.toman > s.price_toman OR last.day > coalesce(u.after_day, '-infinity')
  AND u.toman > s.price_toman - div(
    s.price_toman * extract(epoch FROM greatest(least((last.day + 1)::timestamp AT TIME ZONE 'Asia/Tehran', s.ends_at) - s.starts_at, interval '0')),
    extract(epoch FROM s.ends_at - s.starts_at));
-- recent
SELECT u.subscription_id, u.toman FROM unearned_plan u JOIN subscription s ON s.id = u.subscription_id
CROSS JOIN (SELECT max(day) AS day FROM earned_day) last
WHERE (:earned)
  AND (s.ended_at IS NOT NULL OR u.toman > s.price_toman OR last.day > coalesce(u.after_day, '-infinity')
  AND u.toman > s.price_toman - div(
    s.price_toman * extract(epoch FROM greatest(least((last.day + 1)::timestamp AT TIME ZONE 'Asia/Tehran', s.ends_at) - s.starts_at, interval '0')),
    extract(epoch FROM s.ends_at - s.starts_at)))
UNION ALL
SELECT u.subscription_id, u.toman FROM (:touched) touched
JOIN unearned_plan u ON u.subscription_id = touched.id JOIN subscription s ON s.id = touched.id
WHERE s.ended_at IS NOT NULL OR u.toman > s.price_toman;

-- name: L29 what a day has earned has one transfer, of its amount, and no other transfer earns a day
SELECT coalesce(d.day::text, t.source_id) AS day FROM earned_day d
FULL JOIN (SELECT * FROM ledger_transfer WHERE source_type = 'earned_day') t ON t.source_id = d.day::text
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = '00000000-0000-7000-8000-000000000020'
WHERE coalesce(e.amount, 0) <> coalesce(d.toman, 0) OR (t.id IS NOT NULL AND d.day IS NULL);
-- recent
SELECT coalesce(d.day::text, t.source_id) AS day
FROM (SELECT * FROM earned_day WHERE booked_at >= :time AND booked_at < :end_time) d
FULL JOIN (
  SELECT * FROM ledger_transfer WHERE id >= :transfer AND id < :end_transfer AND source_type = 'earned_day'
) t ON t.source_id = d.day::text
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.account_id = '00000000-0000-7000-8000-000000000020'
WHERE coalesce(e.amount, 0) <> coalesce(d.toman, 0) OR (t.id IS NOT NULL AND d.day IS NULL);

-- name: L24 what is carried from used-up subscriptions is carried to others of the same user
SELECT user_id, sum(carried_bytes) AS carried FROM subscription GROUP BY user_id
HAVING sum(carried_bytes) <> 0 OR bool_or(carried_bytes < 0 AND end_reason IS DISTINCT FROM 'used_up');
-- recent
SELECT s.user_id, sum(s.carried_bytes) AS carried FROM subscription s
WHERE s.user_id IN (SELECT b.user_id FROM (:touched) touched JOIN subscription b ON b.id = touched.id)
GROUP BY s.user_id HAVING sum(s.carried_bytes) <> 0 OR bool_or(s.carried_bytes < 0 AND s.end_reason IS DISTINCT FROM 'used_up');

-- name: L25 no subscription has given anything before it began, but for those of a time in which it could
SELECT id, first_given_at, starts_at FROM subscription WHERE first_given_at < starts_at;
-- recent
SELECT id, first_given_at, starts_at FROM subscription
WHERE first_given_at < starts_at AND first_given_at >= :time AND first_given_at < :end_time;

-- name: L21 of one user one subscription runs at a time
SELECT a.id, b.id AS other FROM subscription a JOIN subscription b ON b.user_id = a.user_id AND b.id > a.id
WHERE a.ended_at IS NULL AND b.ended_at IS NULL AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at;
-- recent
SELECT a.id, b.id AS other FROM (:touched) touched
JOIN subscription a ON a.id = touched.id JOIN subscription b ON b.user_id = a.user_id AND b.id <> a.id
WHERE a.ended_at IS NULL AND b.ended_at IS NULL AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at;

-- name: L44 a plan was sold on the terms of its version, which was not cancelled
SELECT s.id, v.id AS version FROM subscription s JOIN plan_version v ON v.id = s.version_id
WHERE v.plan_id <> s.plan_id OR v.cancelled_at IS NOT NULL
  OR (s.price_toman, s.duration_days, s.max_devices) <> (v.price_toman, v.duration_days, v.max_devices)
  OR s.traffic_limit_bytes IS DISTINCT FROM v.traffic_limit_bytes;
-- recent
SELECT s.id, v.id AS version FROM subscription s JOIN plan_version v ON v.id = s.version_id
WHERE s.id >= :transfer AND s.id < :end_transfer AND (v.plan_id <> s.plan_id OR v.cancelled_at IS NOT NULL
  OR (s.price_toman, s.duration_days, s.max_devices) <> (v.price_toman, v.duration_days, v.max_devices)
  OR s.traffic_limit_bytes IS DISTINCT FROM v.traffic_limit_bytes);
