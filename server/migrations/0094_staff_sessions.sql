-- Sessions of staff, apart from those of the panel (decision 94), and sign-ins whose mailed code was right and whose factor is due.
CREATE TABLE staff_session (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE,
  user_id uuid NOT NULL REFERENCES staff_member (user_id),
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  -- When a factor was last shown in this session.
  proved_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX staff_session_by_user ON staff_session (user_id);
CREATE INDEX staff_session_by_age ON staff_session (expires_at);

CREATE TABLE staff_sign_in (
  token_hash bytea PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES staff_member (user_id),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX staff_sign_in_by_user ON staff_sign_in (user_id);
CREATE INDEX staff_sign_in_by_age ON staff_sign_in (expires_at);

-- A code for the console opens no panel, and the other way round. The table has the codes of one day.
ALTER TABLE email_challenge
  DROP CONSTRAINT email_challenge_purpose_check,
  ADD CONSTRAINT email_challenge_purpose_check
    CHECK (purpose IN ('sign-in', 'verify-email', 'change-email', 'confirm', 'console'));
