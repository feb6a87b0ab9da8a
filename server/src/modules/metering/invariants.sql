-- What meters and leases promise; run and explained with those of the ledger. A meter changes with every report, and an index
-- by time would make each report dearer, so what is new is found by the bookings and connections that come with it.

-- list: users
SELECT DISTINCT a.owner_id FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id
WHERE e.transfer_id >= :transfer AND e.transfer_id < :end_transfer AND e.account_version IS NOT NULL

-- The first day on which something was booked. An hour is booked on its day, soon after its end or, after an outage, days later. By the bare
-- column PostgreSQL would look for its least from the oldest transfer on.
-- set: first
SELECT least(((:time - interval '2 hours') AT TIME ZONE 'Asia/Tehran')::date, min(booked_on + 0)) AS day
FROM ledger_transfer WHERE id >= :transfer AND id < :end_transfer AND kind = 'usage'

-- Of a user's configs those that were used since that day: nothing was booked of others.
-- list: active
SELECT config_id FROM connection WHERE ended_at >= :time AND ended_at < :end_time
UNION SELECT config_id FROM meter WHERE user_id = ANY (:users)
  AND hour_start >= (SELECT day::timestamp AT TIME ZONE 'Asia/Tehran' FROM (:first) first)
UNION SELECT config_id FROM meter WHERE config_id >= :transfer AND config_id < :end_transfer

-- name: L13 what was charged for a config is the price of its billed bytes, segment by segment
SELECT m.config_id, c.charged, p.priced
FROM meter m
CROSS JOIN LATERAL (
  SELECT m.hour_charged + coalesce((SELECT sum(charged_toman) FROM usage_sum h WHERE h.config_id = m.config_id AND h.grain = 'month'), 0) AS charged
) c
CROSS JOIN LATERAL (
  SELECT charge_toman(greatest(m.billed_bytes - m.segment_start, 0), m.segment_price)
    + coalesce((SELECT sum(charge_toman(greatest(least(s.end_byte, m.billed_bytes) - s.start_byte, 0), s.price))
                FROM price_segment s WHERE s.config_id = m.config_id), 0) AS priced
) p
WHERE c.charged <> p.priced;
-- recent: config_id = ANY (:active)
-- month: config_id >= :first_config AND config_id < :end_config

-- name: L15 what a wallet reserves is the price of the bytes still open in its leases, and of those used but not booked
SELECT a.owner_id, a.reserved, coalesce(o.open, 0) AS open
FROM ledger_account a
LEFT JOIN LATERAL (
  SELECT sum(
    m.unbooked_toman + charge_toman(m.lease_limit_bytes - m.segment_start, m.segment_price)
    - charge_toman(greatest(m.billed_bytes - m.segment_start, 0), m.segment_price)
    + coalesce((SELECT sum(charge_toman(s.end_byte - s.start_byte, s.price)
                         - charge_toman(greatest(least(s.end_byte, m.billed_bytes) - s.start_byte, 0), s.price))
                FROM price_segment s WHERE s.config_id = m.config_id), 0)
  ) AS open
  FROM meter m WHERE m.user_id = a.owner_id
) o ON true
WHERE a.kind <> 'house' AND a.reserved <> CASE a.kind WHEN 'user_wallet' THEN coalesce(o.open, 0) ELSE 0 END;
-- recent: owner_id = ANY (:users)
-- month: owner_id >= :first_user AND owner_id < :end_user

-- name: L20 what a subscription has given out is what lies in the leases of its owner's configs
SELECT s.id, s.user_id, s.granted_bytes, g.bytes AS leased
FROM subscription s
CROSS JOIN LATERAL (
  SELECT coalesce(sum(bytes), 0) AS bytes FROM (
    SELECT lease_limit_bytes - segment_start AS bytes FROM meter WHERE segment_subscription_id = s.id
    UNION ALL
    SELECT end_byte - start_byte FROM price_segment WHERE subscription_id = s.id
  ) parts
) g
WHERE s.granted_bytes <> g.bytes;
-- recent: user_id = ANY (:users)
-- month: id >= :transfer AND id < :end_transfer

-- name: P1 what is billed, waits for money or is written off is what nodes have counted
SELECT m.config_id, m.billed_bytes FROM meter m
WHERE m.billed_bytes + m.unpaid_bytes + m.unbilled_bytes <> m.epoch_up + m.epoch_down + coalesce(
  (SELECT sum(e.up + e.down) FROM meter_epoch e WHERE e.config_id = m.config_id AND e.epoch IS DISTINCT FROM m.epoch), 0);
-- recent: config_id = ANY (:active)
-- month: config_id >= :first_config AND config_id < :end_config

-- name: P2 bytes wait for money only at the end of a lease
SELECT config_id, unpaid_bytes FROM meter WHERE unpaid_bytes > 0 AND billed_bytes < lease_limit_bytes;
-- recent: config_id = ANY (:active)
-- month: config_id >= :first_config AND config_id < :end_config

-- name: P3 what is counted of a trial is what its owner's configs used of it, and at most its limit
SELECT t.user_id, t.used_bytes, t.limit_bytes, m.used
FROM trial t
CROSS JOIN LATERAL (SELECT coalesce(sum(least(billed_bytes, trial_bytes)), 0) AS used FROM meter WHERE user_id = t.user_id) m
WHERE t.used_bytes <> m.used OR t.used_bytes > t.limit_bytes;
-- recent: user_id = ANY (:users)
-- month: user_id >= :first_user AND user_id < :end_user

-- name: P4 nothing is charged for the bytes that a trial pays for
SELECT m.config_id, m.trial_bytes FROM meter m
WHERE m.trial_bytes > m.lease_limit_bytes
  OR (m.segment_start < m.trial_bytes AND m.segment_price > 0)
  OR EXISTS (SELECT FROM price_segment s WHERE s.config_id = m.config_id AND s.start_byte < m.trial_bytes AND s.price > 0);
-- recent: config_id = ANY (:active)
-- month: config_id >= :first_config AND config_id < :end_config

-- name: P5 the sums of a config's usage by day and month are those of its hours
SELECT config_id, grain, begins FROM usage_sum s FULL JOIN usage_hour_sum h USING (config_id, grain, begins)
WHERE (s.up, s.down, s.charged_toman, s.last_charged_hour, s.days, s.charged_days)
  IS DISTINCT FROM (h.up, h.down, h.charged_toman, h.last_charged_hour, h.days, h.charged_days);
-- recent
-- Months by their days. A dozen hours would have to be read for each that is new: days are compared with their hours once a day, in the
-- proof of a month. L13 compares these months with the price of what was billed.
WITH first AS MATERIALIZED (:first)
SELECT config_id, 'month' AS grain, begins FROM (
  SELECT config_id, begins, up, down, charged_toman FROM usage_sum
  WHERE config_id = ANY (:active) AND grain = 'month' AND begins >= (SELECT date_trunc('month', day::timestamp)::date FROM first)
) s FULL JOIN (
  SELECT config_id, date_trunc('month', begins::timestamp)::date AS begins, sum(up)::bigint AS up, sum(down)::bigint AS down, sum(charged_toman)::bigint AS charged_toman
  FROM usage_sum WHERE config_id = ANY (:active) AND grain = 'day' AND begins >= (SELECT date_trunc('month', day::timestamp)::date FROM first) GROUP BY 1, 2
) d USING (config_id, begins) WHERE (s.up, s.down, s.charged_toman) IS DISTINCT FROM (d.up, d.down, d.charged_toman);
-- month
SELECT config_id, grain, begins FROM (
  SELECT * FROM usage_sum WHERE config_id >= :first_config AND config_id < :end_config
) s FULL JOIN (
  SELECT * FROM usage_hour_sum WHERE config_id >= :first_config AND config_id < :end_config
) h USING (config_id, grain, begins)
WHERE (s.up, s.down, s.charged_toman, s.last_charged_hour, s.days, s.charged_days)
  IS DISTINCT FROM (h.up, h.down, h.charged_toman, h.last_charged_hour, h.days, h.charged_days);
