-- Passkeys, authenticator apps (TOTP) and recovery codes of an account, and the sign-ins that wait for one of them.

CREATE TABLE passkey (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  -- base64url, as authenticators and browsers name it
  credential_id text NOT NULL UNIQUE,
  -- COSE key (RFC 9052)
  public_key bytea NOT NULL,
  -- the authenticator's own count of signatures; 0 if it keeps none
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  -- signing in by password or code asks for a factor because of this passkey
  is_second_step boolean NOT NULL DEFAULT false,
  backed_up boolean NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz
);
CREATE INDEX passkey_by_user ON passkey (user_id, created_at);

-- One challenge for one signature, good for its requester only; deleted when it is used.
CREATE TABLE passkey_challenge (
  challenge text PRIMARY KEY,
  purpose text NOT NULL CHECK (purpose IN ('enrol', 'sign-in', 'second-step', 'confirm')),
  -- a session, a browser or a pending sign-in
  requester text NOT NULL,
  user_id uuid REFERENCES users (id),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenge_by_user ON passkey_challenge (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX passkey_challenge_by_age ON passkey_challenge (expires_at);

CREATE TABLE totp_secret (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  secret_sealed text NOT NULL,
  -- the time step (RFC 6238) of the last accepted code: no code is accepted twice
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  -- null until its first code was entered
  confirmed_at timestamptz,
  last_used_at timestamptz
);

CREATE TABLE recovery_code (
  user_id uuid NOT NULL REFERENCES users (id),
  code_hmac bytea NOT NULL,
  created_at timestamptz NOT NULL,
  used_at timestamptz,
  PRIMARY KEY (user_id, code_hmac)
);

-- A sign-in whose password, code or provider was right and that waits for a factor. The token is a cookie of the browser.
CREATE TABLE pending_sign_in (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  method text NOT NULL,
  session_days integer NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX pending_sign_in_by_user ON pending_sign_in (user_id);

ALTER TABLE session DROP CONSTRAINT session_method_check;
ALTER TABLE session ADD CONSTRAINT session_method_check
  CHECK (method IN ('code', 'password', 'google', 'github', 'passkey'));
