-- What meters and leases promise; run and explained with those of the ledger.

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

-- name: L15 what a wallet reserves is the price of the bytes still open in its leases, and of those used but not booked
SELECT a.owner_id, a.reserved, coalesce(o.open, 0) AS open
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
WHERE a.kind <> 'house' AND a.reserved <> CASE a.kind WHEN 'user_wallet' THEN coalesce(o.open, 0) ELSE 0 END;

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

-- name: P1 what is billed, waits for money or is written off is what nodes have counted
SELECT m.config_id, m.billed_bytes FROM meter m
WHERE m.billed_bytes + m.unpaid_bytes + m.unbilled_bytes <> m.epoch_up + m.epoch_down + coalesce(
  (SELECT sum(e.up + e.down) FROM meter_epoch e WHERE e.config_id = m.config_id AND e.epoch IS DISTINCT FROM m.epoch), 0);

-- name: P2 bytes wait for money only at the end of a lease
SELECT config_id, unpaid_bytes FROM meter WHERE unpaid_bytes > 0 AND billed_bytes < lease_limit_bytes;

-- name: P3 what is counted of a trial is what its owner's configs used of it, and at most its limit
SELECT t.user_id, t.used_bytes, t.limit_bytes, coalesce(m.used, 0) AS used
FROM trial t
LEFT JOIN (SELECT user_id, sum(least(billed_bytes, trial_bytes)) AS used FROM meter GROUP BY user_id) m ON m.user_id = t.user_id
WHERE t.used_bytes <> coalesce(m.used, 0) OR t.used_bytes > t.limit_bytes;

-- name: P4 nothing is charged for the bytes that a trial pays for
SELECT m.config_id, m.trial_bytes FROM meter m
WHERE m.trial_bytes > m.lease_limit_bytes
  OR (m.segment_start < m.trial_bytes AND m.segment_price > 0)
  OR EXISTS (SELECT FROM price_segment s WHERE s.config_id = m.config_id AND s.start_byte < m.trial_bytes AND s.price > 0);
