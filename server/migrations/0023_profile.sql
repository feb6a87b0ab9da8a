-- What people keep in their profile: a proved number, a picture, a new address that waits, settings.

ALTER TABLE users
  -- proved by a code, and of one account only
  ADD COLUMN phone text UNIQUE CHECK (phone ~ '^09[0-9]{9}$'),
  ADD COLUMN avatar_id uuid,
  -- a new address until its code comes
  ADD COLUMN pending_email text;

ALTER TABLE email_challenge DROP CONSTRAINT email_challenge_purpose_check;
ALTER TABLE email_challenge ADD CONSTRAINT email_challenge_purpose_check
  CHECK (purpose IN ('sign-in', 'verify-email', 'change-email', 'confirm'));

-- One picture a person, decoded and encoded anew. Its id is new with each picture: the address never shows another one.
CREATE TABLE avatar (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  id uuid NOT NULL UNIQUE,
  webp bytea NOT NULL,
  created_at timestamptz NOT NULL
);

-- One code by text message; as email_challenge, but of an account.
CREATE TABLE phone_challenge (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  phone text NOT NULL,
  code_hmac bytea NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  replaced_at timestamptz
);
CREATE INDEX phone_challenge_by_phone ON phone_challenge (phone, created_at DESC);
CREATE INDEX phone_challenge_by_user ON phone_challenge (user_id, created_at DESC);
CREATE INDEX phone_challenge_by_age ON phone_challenge (created_at);

-- Settings that the server must know to keep them, and those that it keeps for other clients. No row: the defaults.
CREATE TABLE preference (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  email_notifications boolean NOT NULL DEFAULT true,
  sms_notifications boolean NOT NULL DEFAULT false,
  auto_connect boolean NOT NULL DEFAULT false,
  language text NOT NULL DEFAULT 'fa' CHECK (language IN ('fa', 'en')),
  theme text NOT NULL DEFAULT 'auto' CHECK (theme IN ('dark', 'light', 'auto')),
  -- kinds of notifications that come by mail, too; null: those that come by mail unless one says otherwise
  mail_kinds text[]
);
