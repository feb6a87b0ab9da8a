-- What moved a wallet, usage left out: one row per payment, gift card, transfer, refund, correction and plan, kept by triggers
-- in the transaction of the fact, so that a page of them is a range of an index however long the history is.
CREATE TABLE wallet_movement (
  user_id uuid NOT NULL,
  at timestamptz NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  amount bigint NOT NULL,
  -- refunded: a completed payment that went back
  status text NOT NULL CHECK (status IN ('pending', 'completed', 'failed', 'cancelled', 'refunded')),
  -- the gateway, the last four characters of a card, or what was done with a plan
  detail text NOT NULL,
  plan_name_fa text,
  plan_name_en text,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX wallet_movement_by_time ON wallet_movement (user_id, at DESC, id DESC);
CREATE INDEX wallet_movement_payments ON wallet_movement (user_id, status, at DESC, id DESC)
  WHERE type = 'wallet_charge' OR type = 'gift_card' OR (type = 'subscription' AND amount < 0);

-- Sums of those rows per user, of all time, of a month and of a day (Tehran's).
CREATE TABLE wallet_sum (
  user_id uuid NOT NULL,
  grain text NOT NULL CHECK (grain IN ('all', 'month', 'day')),
  begins date NOT NULL,
  -- the type of the rows; of plans what was done with them as well
  kind text NOT NULL,
  status text NOT NULL,
  -- of payments through a gateway, else empty
  gateway text NOT NULL,
  deposits bigint NOT NULL,
  withdrawals bigint NOT NULL,
  lines bigint NOT NULL,
  -- of a month: the days with completed rows, the first day as bit 0; completed rows are never taken back
  days integer NOT NULL DEFAULT 0,
  PRIMARY KEY (user_id, grain, begins, kind, status, gateway)
) WITH (fillfactor = 80);

-- Rows, each as a part of three sums.
CREATE FUNCTION wallet_sum_part(moved wallet_movement[]) RETURNS TABLE (
  user_id uuid, grain text, begins date, kind text, status text, gateway text, amount bigint, day_bit integer
) LANGUAGE sql AS $$
  SELECT m.user_id, g.grain, g.begins,
    CASE WHEN m.type = 'subscription' AND m.detail IN ('renewal', 'credit') THEN 'subscription_' || m.detail ELSE m.type END,
    m.status, CASE m.type WHEN 'wallet_charge' THEN m.detail ELSE '' END, m.amount, 1 << (extract(day FROM m.day)::integer - 1)
  FROM (SELECT *, (at AT TIME ZONE 'Asia/Tehran')::date AS day FROM unnest(moved)) m
  CROSS JOIN LATERAL (VALUES ('all', date '0001-01-01'), ('month', date_trunc('month', m.day)::date), ('day', m.day)) AS g (grain, begins)
$$;

CREATE VIEW payment_movement AS
SELECT p.user_id, p.created_at AS at, p.id, 'wallet_charge' AS type, p.amount_toman AS amount,
  CASE WHEN p.state IN ('failed', 'cancelled') THEN p.state WHEN p.state <> 'completed' THEN 'pending'
    WHEN EXISTS (SELECT FROM payment_reversal r WHERE r.payment_id = p.id)
      OR EXISTS (SELECT FROM refund r WHERE r.payment_id = p.id AND r.state IN ('sent', 'confirmed')) THEN 'refunded'
    ELSE 'completed' END AS status,
  p.gateway AS detail, NULL::text AS plan_name_fa, NULL::text AS plan_name_en
FROM payment p;

CREATE VIEW card_movement AS
SELECT redeemed_by AS user_id, redeemed_at AS at, id, 'gift_card' AS type, credited_toman AS amount, 'completed' AS status,
  last4 AS detail, NULL::text AS plan_name_fa, NULL::text AS plan_name_en
FROM gift_card WHERE status = 'redeemed';

CREATE VIEW transfer_movement AS
SELECT a.owner_id AS user_id, t.created_at AS at, t.id,
  CASE t.kind WHEN 'refund' THEN 'refund' WHEN 'transfer' THEN 'transfer' ELSE 'adjustment' END AS type, e.amount,
  'completed' AS status, t.purpose AS detail, NULL::text AS plan_name_fa, NULL::text AS plan_name_en
FROM ledger_transfer t JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
WHERE t.kind IN ('refund', 'transfer', 'reversal', 'adjustment') AND a.kind = 'user_wallet' AND e.account_version IS NOT NULL;

CREATE VIEW plan_movement AS
SELECT user_id, created_at AS at, id, 'subscription' AS type, -price_toman AS amount, 'completed' AS status, kind AS detail,
  name_fa AS plan_name_fa, name_en AS plan_name_en, id AS subscription_id
FROM subscription WHERE price_toman > 0
UNION ALL
SELECT user_id, ended_at, overlay(overlay(md5(id::text || 'credit') PLACING '8' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid,
  'subscription', credited_toman, 'completed', 'credit', name_fa, name_en, id
FROM subscription WHERE credited_toman > 0;

-- What the sums have to be.
CREATE VIEW movement_sum AS
SELECT m.user_id, g.grain, g.begins,
  CASE WHEN m.type = 'subscription' AND m.detail IN ('renewal', 'credit') THEN 'subscription_' || m.detail ELSE m.type END AS kind,
  m.status, CASE m.type WHEN 'wallet_charge' THEN m.detail ELSE '' END AS gateway,
  sum(greatest(m.amount, 0))::bigint AS deposits, sum(greatest(-m.amount, 0))::bigint AS withdrawals, count(*) AS lines,
  CASE WHEN g.grain = 'month' AND m.status IN ('completed', 'refunded') THEN bit_or(1 << (extract(day FROM m.day)::integer - 1)) ELSE 0 END AS days
FROM (SELECT *, (at AT TIME ZONE 'Asia/Tehran')::date AS day FROM wallet_movement) m
CROSS JOIN LATERAL (VALUES ('all', date '0001-01-01'), ('month', date_trunc('month', m.day)::date), ('day', m.day)) AS g (grain, begins)
GROUP BY 1, 2, 3, 4, 5, 6;

-- Adds rows to the sums they belong to, or takes them out. In one order, so that two transactions wait for each other and do
-- not deadlock.
CREATE FUNCTION wallet_sum_add(moved wallet_movement[], sign integer) RETURNS void LANGUAGE sql AS $$
  INSERT INTO wallet_sum AS s (user_id, grain, begins, kind, status, gateway, deposits, withdrawals, lines, days)
  SELECT user_id, grain, begins, kind, status, gateway, sign * sum(greatest(amount, 0)), sign * sum(greatest(-amount, 0)),
    sign * count(*), CASE WHEN grain = 'month' AND status IN ('completed', 'refunded') THEN bit_or(day_bit) ELSE 0 END
  FROM wallet_sum_part(moved) GROUP BY user_id, grain, begins, kind, status, gateway
  ORDER BY user_id, grain, begins, kind, status, gateway
  ON CONFLICT (user_id, grain, begins, kind, status, gateway) DO UPDATE SET deposits = s.deposits + excluded.deposits,
    withdrawals = s.withdrawals + excluded.withdrawals, lines = s.lines + excluded.lines, days = s.days | excluded.days
$$;

CREATE FUNCTION wallet_sum_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wallet_sum_add(m, 1) FROM (SELECT array_agg(ROW(n.*)::wallet_movement) AS m FROM new_rows n) added WHERE m IS NOT NULL;
  IF TG_OP = 'UPDATE' THEN
    PERFORM wallet_sum_add(m, -1) FROM (SELECT array_agg(ROW(o.*)::wallet_movement) AS m FROM old_rows o) taken WHERE m IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

-- Writes what facts say now. What says the same already is not touched.
CREATE FUNCTION wallet_movement_put(moved wallet_movement[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO wallet_movement AS w SELECT * FROM unnest(moved) ORDER BY user_id, id
  ON CONFLICT (user_id, id) DO UPDATE SET at = excluded.at, amount = excluded.amount, status = excluded.status, detail = excluded.detail
  WHERE (w.at, w.amount, w.status, w.detail) IS DISTINCT FROM (excluded.at, excluded.amount, excluded.status, excluded.detail)
$$;

CREATE FUNCTION wallet_movement_of_payments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wallet_movement_put(array_agg(ROW(v.*)::wallet_movement)) FROM payment_movement v WHERE v.id IN (SELECT id FROM new_rows);
  RETURN NULL;
END $$;
CREATE FUNCTION wallet_movement_of_payment() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  payment uuid := CASE WHEN TG_TABLE_NAME = 'payment' THEN to_jsonb(NEW) ->> 'id' ELSE to_jsonb(NEW) ->> 'payment_id' END;
BEGIN
  PERFORM wallet_movement_put(array_agg(ROW(v.*)::wallet_movement)) FROM payment_movement v WHERE v.id = payment;
  RETURN NULL;
END $$;
CREATE FUNCTION wallet_movement_of_card() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wallet_movement_put(array_agg(ROW(v.*)::wallet_movement)) FROM card_movement v WHERE v.id = NEW.id;
  RETURN NULL;
END $$;
CREATE FUNCTION wallet_movement_of_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wallet_movement_put(array_agg(ROW(v.*)::wallet_movement)) FROM transfer_movement v WHERE v.id = NEW.id;
  RETURN NULL;
END $$;
CREATE FUNCTION wallet_movement_of_plan() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM wallet_movement_put(array_agg(
      ROW(v.user_id, v.at, v.id, v.type, v.amount, v.status, v.detail, v.plan_name_fa, v.plan_name_en)::wallet_movement))
    FROM plan_movement v WHERE v.subscription_id = NEW.id;
  RETURN NULL;
END $$;

INSERT INTO wallet_movement
SELECT * FROM payment_movement UNION ALL SELECT * FROM card_movement UNION ALL SELECT * FROM transfer_movement
UNION ALL SELECT user_id, at, id, type, amount, status, detail, plan_name_fa, plan_name_en FROM plan_movement;

INSERT INTO wallet_sum SELECT * FROM movement_sum;

CREATE TRIGGER wallet_movement_added AFTER INSERT ON wallet_movement REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION wallet_sum_follow();
CREATE TRIGGER wallet_movement_changed AFTER UPDATE ON wallet_movement REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION wallet_sum_follow();

CREATE TRIGGER payment_moves AFTER INSERT ON payment REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION wallet_movement_of_payments();
CREATE TRIGGER payment_moves_on AFTER UPDATE OF state ON payment
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION wallet_movement_of_payment();
CREATE TRIGGER refund_moves AFTER INSERT ON refund FOR EACH ROW EXECUTE FUNCTION wallet_movement_of_payment();
CREATE TRIGGER refund_moves_on AFTER UPDATE OF state ON refund
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION wallet_movement_of_payment();
CREATE TRIGGER payment_reversal_moves AFTER INSERT ON payment_reversal FOR EACH ROW EXECUTE FUNCTION wallet_movement_of_payment();
CREATE TRIGGER gift_card_moves AFTER INSERT OR UPDATE OF status ON gift_card
  FOR EACH ROW WHEN (NEW.status = 'redeemed') EXECUTE FUNCTION wallet_movement_of_card();
-- The entries are written after their transfer, so at the end of the transaction.
CREATE CONSTRAINT TRIGGER ledger_transfer_moves AFTER INSERT ON ledger_transfer DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.kind IN ('refund', 'transfer', 'reversal', 'adjustment')) EXECUTE FUNCTION wallet_movement_of_transfer();
CREATE TRIGGER subscription_moves AFTER INSERT ON subscription FOR EACH ROW EXECUTE FUNCTION wallet_movement_of_plan();
CREATE TRIGGER subscription_moves_on AFTER UPDATE OF price_toman, credited_toman, ended_at ON subscription
  FOR EACH ROW WHEN ((OLD.price_toman, OLD.credited_toman, OLD.ended_at) IS DISTINCT FROM (NEW.price_toman, NEW.credited_toman, NEW.ended_at))
  EXECUTE FUNCTION wallet_movement_of_plan();

-- The lines that a user sees are those rows, and usage per config and day. The id of a line of usage is derived and has the
-- form of a UUID of version 8 (RFC 9562), which is what clients are promised.
DROP VIEW wallet_line;
CREATE VIEW usage_line AS
SELECT overlay(overlay(md5(config_id::text || day::text) PLACING '8' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid AS id,
  config_id, user_id, day, max(at) AS at, sum(charged)::bigint AS charged, max(name) AS name
FROM (
  SELECT c.id AS config_id, c.user_id, c.name, h.hour + interval '59 minutes' AS at, (h.hour AT TIME ZONE 'Asia/Tehran')::date AS day, h.charged_toman AS charged
  FROM config c JOIN usage_hour h ON h.config_id = c.id WHERE h.charged_toman > 0
  UNION ALL
  SELECT c.id, c.user_id, c.name, coalesce(m.last_used_at, m.hour_start), (m.hour_start AT TIME ZONE 'Asia/Tehran')::date, m.hour_charged
  FROM config c JOIN meter m ON m.config_id = c.id WHERE m.hour_charged > 0
) usage GROUP BY config_id, user_id, day;
