-- Who works here, and as what. A member is a user; their passkeys and authenticator app are that user's (decision 93).
CREATE TABLE staff_member (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  role text NOT NULL CHECK (role IN ('super_admin', 'admin', 'support', 'finance', 'auditor')),
  added_at timestamptz NOT NULL,
  -- Until then a member without a factor may set up the first one when signing in.
  enrol_until timestamptz NOT NULL,
  disabled_at timestamptz
);

-- Operators of earlier releases. They set up a factor after `raha staff reset-factors`.
INSERT INTO staff_member (user_id, role, added_at, enrol_until)
SELECT id, 'super_admin', created_at, created_at FROM users WHERE role = 'super_admin' AND status <> 'deleted';
