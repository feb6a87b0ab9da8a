-- What people are told. A cause tells a person once: rows that they delete stay, unseen, so that nothing comes back.
CREATE TABLE notification (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  kind text NOT NULL,
  cause text NOT NULL,
  -- what the sentence is made of when it is read, in the reader's language
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  read_at timestamptz,
  deleted_at timestamptz,
  UNIQUE (user_id, kind, cause)
);
CREATE INDEX notification_shown ON notification (user_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

-- The balance right after a person's latest top-up, by which a low balance is measured, and how low they have been told it is.
CREATE TABLE balance_level (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  level_toman bigint NOT NULL CHECK (level_toman > 0),
  cause text NOT NULL,
  warned_percent smallint NOT NULL DEFAULT 100
);

-- Configs from before this table have long been in use: that they work is no news.
INSERT INTO notification (id, user_id, kind, cause, data, created_at, deleted_at)
  SELECT gen_random_uuid(), user_id, 'config_live', id::text, '{}', created_at, created_at FROM config;
