CREATE TABLE gift_card_batch (
  id uuid PRIMARY KEY,
  note text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL
);

-- The code is never stored: only its HMAC under a pepper outside the database.
CREATE TABLE gift_card (
  id uuid PRIMARY KEY,
  batch_id uuid NOT NULL REFERENCES gift_card_batch (id),
  code_hmac bytea NOT NULL UNIQUE,
  pepper_version integer NOT NULL,
  last4 text NOT NULL,
  face_usd_cents integer NOT NULL CHECK (face_usd_cents > 0),
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'redeemed', 'void')),
  expires_at timestamptz,
  redeemed_by uuid REFERENCES users (id),
  redeemed_at timestamptz,
  rate_toman bigint,
  credited_toman bigint,
  created_at timestamptz NOT NULL,
  CHECK ((status = 'redeemed') = (redeemed_by IS NOT NULL AND redeemed_at IS NOT NULL AND credited_toman IS NOT NULL))
);
CREATE INDEX gift_card_by_redeemer ON gift_card (redeemed_by) WHERE redeemed_by IS NOT NULL;

CREATE TABLE payment (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  gateway text NOT NULL,
  amount_toman bigint NOT NULL CHECK (amount_toman > 0),
  -- created → redirected → verifying → completed | failed | cancelled | needs_review
  state text NOT NULL CHECK (state IN ('created', 'redirected', 'completed', 'failed', 'cancelled', 'needs_review')),
  authority text,
  ref_id text,
  card_mask text,
  payment_url text,
  failure text,
  -- the gateway's last answer as it came, evidence for the credit
  evidence jsonb,
  next_check_at timestamptz,
  checks integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  settled_at timestamptz,
  UNIQUE (gateway, authority),
  UNIQUE (gateway, ref_id),
  CHECK (state <> 'completed' OR (evidence IS NOT NULL AND ref_id IS NOT NULL AND settled_at IS NOT NULL))
);
CREATE INDEX payment_by_user ON payment (user_id, created_at DESC);
CREATE INDEX payment_to_check ON payment (next_check_at) WHERE state IN ('created', 'redirected');

-- The built-in test bank remembers its sessions, because a payer may come back after a restart.
CREATE TABLE bank_simulator_session (
  authority text PRIMARY KEY,
  gateway text NOT NULL,
  merchant text NOT NULL,
  amount_rial bigint NOT NULL,
  callback_url text NOT NULL,
  description text NOT NULL,
  state text NOT NULL CHECK (state IN ('IN_BANK', 'PAID', 'VERIFIED', 'FAILED', 'REVERSED')),
  ref_id text,
  created_at timestamptz NOT NULL
);
