-- Operator settings, people, sessions. Ids are UUIDv7 made by the application; times are written by the application's
-- clock, so that no default hides a second clock.

CREATE TABLE setting (
  key text PRIMARY KEY,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text NOT NULL UNIQUE,
  name text NOT NULL DEFAULT '',
  role text NOT NULL DEFAULT 'user' CHECK (role IN ('user', 'agent', 'admin', 'super_admin')),
  status text NOT NULL CHECK (status IN ('pending_verification', 'incomplete', 'active', 'suspended', 'deactivated', 'deleted')),
  profile_completed boolean NOT NULL DEFAULT false,
  email_verified_at timestamptz,
  activated_at timestamptz,
  trial_ends_at timestamptz,
  created_at timestamptz NOT NULL
);

-- One mailed code. The code itself is never stored: HMAC of challenge id and code.
CREATE TABLE email_challenge (
  id uuid PRIMARY KEY,
  email text NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('sign-in')),
  code_hmac bytea NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  replaced_at timestamptz
);
CREATE INDEX email_challenge_by_email ON email_challenge (email, created_at DESC);

-- A session is a family of refresh tokens; only the newest generation is good.
CREATE TABLE session (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  generation integer NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  end_reason text
);
CREATE INDEX session_by_user ON session (user_id) WHERE ended_at IS NULL;

CREATE TABLE refresh_token (
  token_hash bytea PRIMARY KEY,
  session_id uuid NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  generation integer NOT NULL,
  rotated_at timestamptz,
  -- the successor, sealed, for the few seconds in which a lost answer may be asked for again
  successor_sealed text,
  UNIQUE (session_id, generation)
);

-- Answers of money requests, kept so that a repeated request with the same key is answered, not executed, again.
CREATE TABLE idempotency (
  user_id uuid NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  response jsonb,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, key)
);

CREATE TABLE attempt (
  scope text NOT NULL,
  subject text NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX attempt_by_subject ON attempt (scope, subject, at);
