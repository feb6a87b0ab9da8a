-- Money on its way back to a payer. It has left the wallet in the transaction that wrote the row.
CREATE TABLE refund (
  id uuid PRIMARY KEY,
  payment_id uuid NOT NULL REFERENCES payment (id),
  user_id uuid NOT NULL REFERENCES users (id),
  gateway text NOT NULL,
  amount_toman bigint NOT NULL CHECK (amount_toman > 0),
  -- gateway: its own call; hand: a person at the operator sends it
  route text NOT NULL CHECK (route IN ('gateway', 'hand')),
  state text NOT NULL CHECK (state IN ('requested', 'sent', 'confirmed', 'failed', 'unknown')),
  reason text NOT NULL DEFAULT '',
  tracking text,
  failure text,
  operator text,
  -- the gateway's last answer as it came, or what the operator noted
  evidence jsonb,
  next_check_at timestamptz,
  checks integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  sent_at timestamptz,
  settled_at timestamptz,
  CHECK ((state IN ('confirmed', 'failed')) = (settled_at IS NOT NULL)),
  CHECK (state <> 'confirmed' OR evidence IS NOT NULL)
);
-- One refund of a payment at a time, and none after one that arrived.
CREATE UNIQUE INDEX refund_live ON refund (payment_id) WHERE state <> 'failed';
CREATE INDEX refund_by_payment ON refund (payment_id, created_at DESC);
CREATE INDEX refund_by_user ON refund (user_id);
CREATE INDEX refund_to_check ON refund (next_check_at) WHERE next_check_at IS NOT NULL;

INSERT INTO ledger_account (id, kind, code, created_at) VALUES
  ('00000000-0000-7000-8000-000000000101', 'house', 'refund:clearing', now()),
  ('00000000-0000-7000-8000-000000000102', 'house', 'receivable:chargeback', now());

-- Money that a bank took back by itself after it was credited; `owed` is what the wallet no longer held.
CREATE TABLE payment_reversal (
  payment_id uuid PRIMARY KEY REFERENCES payment (id),
  user_id uuid NOT NULL REFERENCES users (id),
  amount_toman bigint NOT NULL CHECK (amount_toman > 0),
  owed_toman bigint NOT NULL CHECK (owed_toman >= 0 AND owed_toman <= amount_toman),
  evidence jsonb NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX payment_reversal_owed ON payment_reversal (user_id) WHERE owed_toman > 0;
