-- Money moved from one person's wallet to another's.
CREATE TABLE wallet_transfer (
  id uuid PRIMARY KEY,
  from_user_id uuid NOT NULL REFERENCES users (id),
  to_user_id uuid NOT NULL REFERENCES users (id),
  amount_toman bigint NOT NULL CHECK (amount_toman > 0),
  note text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL,
  CHECK (from_user_id <> to_user_id)
);
CREATE INDEX wallet_transfer_by_sender ON wallet_transfer (from_user_id, created_at DESC);
