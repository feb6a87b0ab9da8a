-- Passwords, reset links, social identities, known devices.

ALTER TABLE users ADD COLUMN password_hash text;

ALTER TABLE email_challenge DROP CONSTRAINT email_challenge_purpose_check;
ALTER TABLE email_challenge ADD CONSTRAINT email_challenge_purpose_check CHECK (purpose IN ('sign-in', 'verify-email'));

ALTER TABLE session ADD COLUMN device text NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN method text NOT NULL DEFAULT 'code' CHECK (method IN ('code', 'password', 'google', 'github'));

CREATE TABLE password_reset (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX password_reset_by_user ON password_reset (user_id);

-- A person at a provider: the provider's own lasting id, never the e-mail.
CREATE TABLE social_identity (
  provider text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (provider, subject)
);
CREATE INDEX social_identity_by_user ON social_identity (user_id);

-- Browsers an account has been used from, by a random cookie.
CREATE TABLE known_device (
  user_id uuid NOT NULL REFERENCES users (id),
  device_hash bytea NOT NULL,
  first_seen_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, device_hash)
);
