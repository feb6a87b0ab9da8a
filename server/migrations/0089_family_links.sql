-- A config that its owner shares with somebody without an account (docs/decisions/0090). One row per config; a new link replaces the
-- token of the earlier one.
CREATE TABLE family_link (
  id uuid PRIMARY KEY,
  config_id uuid NOT NULL REFERENCES config (id),
  user_id uuid NOT NULL REFERENCES users (id),
  -- as the owner calls the guest, and is called, on the guest's page
  guest_name text NOT NULL,
  sender_name text NOT NULL,
  token_hash bytea NOT NULL UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  opened_at timestamptz,
  -- of the cookie of the browser that opened it
  browser_hash bytea,
  -- when the config was deleted
  ended_at timestamptz,
  CONSTRAINT family_link_opened_by CHECK ((opened_at IS NULL) = (browser_hash IS NULL))
);
CREATE UNIQUE INDEX family_link_of_config ON family_link (config_id) WHERE ended_at IS NULL;
CREATE INDEX family_link_by_user ON family_link (user_id);
CREATE INDEX family_link_ended ON family_link (ended_at) WHERE ended_at IS NOT NULL;

-- The guest's name beside a config's, for the statement.
CREATE VIEW usage_guest AS SELECT config_id, guest_name FROM family_link WHERE ended_at IS NULL;
