-- Where a person's total begins on the dashboard: what had been counted then. Nothing is ever set to zero.
CREATE TABLE traffic_window (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  started_at timestamptz NOT NULL,
  base_bytes bigint NOT NULL CHECK (base_bytes >= 0)
);
