-- Plans are the operator's data; a subscription is one bought stretch of one, with what was agreed copied into it.
CREATE TABLE plan (
  id text PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9-]{0,30}$'),
  name_fa text NOT NULL,
  name_en text NOT NULL,
  price_toman bigint NOT NULL CHECK (price_toman >= 0),
  -- shown struck through beside the price, if any
  original_price_toman bigint CHECK (original_price_toman > price_toman),
  duration_days integer NOT NULL CHECK (duration_days BETWEEN 1 AND 3660),
  -- null: unlimited
  traffic_limit_bytes bigint CHECK (traffic_limit_bytes > 0),
  max_devices integer NOT NULL CHECK (max_devices > 0),
  is_popular boolean NOT NULL DEFAULT false,
  is_on boolean NOT NULL DEFAULT true,
  position integer NOT NULL DEFAULT 0
);
INSERT INTO plan (id, name_fa, name_en, price_toman, duration_days, traffic_limit_bytes, max_devices, is_popular, position) VALUES
  ('basic', 'پایه', 'Basic', 99000, 30, 50000000000, 2, false, 1),
  ('premium', 'ویژه', 'Premium', 199000, 30, NULL, 5, true, 2),
  ('business', 'کسب‌وکار', 'Business', 398000, 30, NULL, 10, false, 3);

CREATE TABLE subscription (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  plan_id text NOT NULL REFERENCES plan (id),
  kind text NOT NULL CHECK (kind IN ('purchase', 'upgrade', 'renewal')),
  paid_with text NOT NULL CHECK (paid_with IN ('wallet', 'gift_card')),
  name_fa text NOT NULL,
  name_en text NOT NULL,
  price_toman bigint NOT NULL CHECK (price_toman >= 0),
  duration_days integer NOT NULL,
  traffic_limit_bytes bigint,
  max_devices integer NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  -- bytes given out in leases; what comes back from leases is taken off again
  granted_bytes bigint NOT NULL DEFAULT 0 CHECK (granted_bytes >= 0),
  -- ended before its time
  ended_at timestamptz,
  end_reason text CHECK (end_reason IN ('cancelled', 'replaced', 'used_up')),
  credited_toman bigint NOT NULL DEFAULT 0 CHECK (credited_toman BETWEEN 0 AND price_toman),
  warned_at timestamptz,
  created_at timestamptz NOT NULL,
  CHECK (ends_at > starts_at),
  CHECK (granted_bytes <= traffic_limit_bytes),
  CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
  CHECK (credited_toman = 0 OR ended_at IS NOT NULL)
);
CREATE INDEX subscription_by_user ON subscription (user_id, created_at DESC);
CREATE INDEX subscription_ending ON subscription (ends_at) WHERE ended_at IS NULL;

-- Bytes of a segment that a subscription has given; null: paid per GB, or free in a trial.
ALTER TABLE meter ADD COLUMN segment_plan uuid REFERENCES subscription (id);
ALTER TABLE price_segment ADD COLUMN plan uuid REFERENCES subscription (id);
CREATE INDEX meter_of_plan ON meter (segment_plan) WHERE segment_plan IS NOT NULL;
CREATE INDEX price_segment_of_plan ON price_segment (plan) WHERE plan IS NOT NULL;

INSERT INTO ledger_account (id, kind, code, created_at) VALUES
  ('00000000-0000-7000-8000-000000000020', 'house', 'revenue:plan', now());
