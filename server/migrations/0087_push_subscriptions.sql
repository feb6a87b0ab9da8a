-- Where the browser of a session takes notifications while no page is open (decision 88). It goes with the session.
CREATE TABLE push_subscription (
  session_id uuid PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
  -- An HMAC of the address: a browser that subscribes for its next user has one row, not two.
  endpoint_mark bytea NOT NULL UNIQUE,
  subscription_sealed text NOT NULL,
  created_at timestamptz NOT NULL,
  -- That of the session, which does not change, so that deleting by age reads nothing else.
  expires_at timestamptz NOT NULL
);
CREATE INDEX push_subscription_by_age ON push_subscription (expires_at);
