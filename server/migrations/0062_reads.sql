-- What keeps a call's cost apart from the number of users (docs/server/test/scale).

-- The entries of users' accounts have a version, and the index over an account's entries holds only those: with the
-- condition said, a user's lines are found without reading the ledger.
CREATE OR REPLACE VIEW wallet_line AS
  SELECT id, user_id, created_at AS at, 'wallet_charge'::text AS type, amount_toman AS amount,
    CASE state WHEN 'completed' THEN 'completed' WHEN 'failed' THEN 'failed' WHEN 'cancelled' THEN 'cancelled' ELSE 'pending' END AS status,
    gateway AS detail, NULL::text AS plan_name_fa, NULL::text AS plan_name_en
  FROM payment
  UNION ALL
  SELECT id, redeemed_by, redeemed_at, 'gift_card', credited_toman, 'completed', last4, NULL, NULL
  FROM gift_card WHERE status = 'redeemed'
  UNION ALL
  -- A derived id in the form of a UUID of version 8 (RFC 9562), which is what clients are promised.
  SELECT overlay(overlay(md5(config_id::text || day::text) PLACING '8' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid, user_id, max(at), 'usage', -sum(charged)::bigint, 'completed', max(name), NULL, NULL
  FROM (
    SELECT c.id AS config_id, c.user_id, c.name, h.hour + interval '59 minutes' AS at, (h.hour AT TIME ZONE 'Asia/Tehran')::date AS day, h.charged_toman AS charged
    FROM config c JOIN usage_hour h ON h.config_id = c.id WHERE h.charged_toman > 0
    UNION ALL
    SELECT c.id, c.user_id, c.name, coalesce(m.last_used_at, m.hour_start), (m.hour_start AT TIME ZONE 'Asia/Tehran')::date, m.hour_charged
    FROM config c JOIN meter m ON m.config_id = c.id WHERE m.hour_charged > 0
  ) usage GROUP BY config_id, user_id, day
  UNION ALL
  -- Of several movements with one cause (a transfer between users), each user sees their own.
  SELECT t.id, a.owner_id, t.created_at, CASE t.kind WHEN 'refund' THEN 'refund' WHEN 'transfer' THEN 'transfer' ELSE 'adjustment' END, e.amount, 'completed', t.purpose, NULL, NULL
  FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
  WHERE t.kind IN ('refund', 'transfer', 'reversal', 'adjustment') AND a.kind = 'user_wallet' AND e.account_version IS NOT NULL
  UNION ALL
  SELECT id, user_id, created_at, 'subscription', -price_toman, 'completed', kind, name_fa, name_en
  FROM subscription WHERE price_toman > 0
  UNION ALL
  SELECT overlay(overlay(md5(id::text || 'credit') PLACING '8' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid, user_id,
    ended_at, 'subscription', credited_toman, 'completed', 'credit', name_fa, name_en
  FROM subscription WHERE credited_toman > 0;

-- The latest sign-ins of a user, ended sessions included.
CREATE INDEX session_by_user_and_time ON session (user_id, created_at DESC);

-- What is deleted by its age.
CREATE INDEX email_challenge_by_age ON email_challenge (created_at);
CREATE INDEX password_reset_by_age ON password_reset (created_at);
CREATE INDEX session_by_age ON session ((coalesce(ended_at, expires_at)));
