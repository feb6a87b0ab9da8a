-- Tokens by which an operator's programs make calls of the console (decision 112). Only their hashes are kept.
CREATE TABLE staff_token (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  -- In whose name it acts.
  user_id uuid NOT NULL REFERENCES staff_member (user_id),
  name text NOT NULL CHECK (name <> ''),
  scopes text[] NOT NULL CHECK (cardinality(scopes) > 0),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL CHECK (expires_at > created_at),
  last_used_at timestamptz,
  revoked_at timestamptz
);
CREATE INDEX staff_token_by_user ON staff_token (user_id);
CREATE INDEX staff_token_by_end ON staff_token (expires_at);
