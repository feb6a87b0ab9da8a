-- One act on many users (decision 128), and the index by which users of a state are listed and counted.
-- step
CREATE TABLE bulk (
  id uuid PRIMARY KEY,
  act text NOT NULL CHECK (act IN ('suspend', 'reopen', 'end_sessions')),
  reason text NOT NULL,
  -- Null: chosen one by one, or to undo another one.
  filter jsonb,
  actor_kind text NOT NULL CHECK (actor_kind IN ('staff', 'command-line')),
  -- Of a member the id.
  actor text NOT NULL,
  ordered_at timestamptz NOT NULL,
  starts_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'running', 'paused', 'stopped', 'cancelled', 'done')),
  people integer NOT NULL CHECK (people > 0),
  done integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  ended_at timestamptz,
  lost_permission boolean NOT NULL DEFAULT false,
  undoes uuid UNIQUE REFERENCES bulk (id),
  CONSTRAINT bulk_counts CHECK (done >= 0 AND failed >= 0 AND done + failed <= people),
  CONSTRAINT bulk_end CHECK ((ended_at IS NOT NULL) = (state IN ('stopped', 'cancelled', 'done')))
);
CREATE INDEX bulk_open ON bulk (starts_at, id) WHERE state IN ('planned', 'running', 'paused');

CREATE TABLE bulk_item (
  bulk_id uuid NOT NULL REFERENCES bulk (id),
  user_id uuid NOT NULL REFERENCES users (id),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'failed')),
  why text,
  tries smallint NOT NULL DEFAULT 0,
  at timestamptz,
  PRIMARY KEY (bulk_id, user_id),
  CONSTRAINT bulk_item_why CHECK ((why IS NOT NULL) = (state = 'failed')),
  CONSTRAINT bulk_item_at CHECK ((at IS NULL) = (state = 'open'))
);
CREATE INDEX bulk_item_next ON bulk_item (bulk_id, tries, user_id) WHERE state = 'open';
CREATE INDEX bulk_item_failed ON bulk_item (bulk_id, user_id) WHERE state = 'failed';

-- step: alone
DROP INDEX CONCURRENTLY IF EXISTS users_by_status;
CREATE INDEX CONCURRENTLY users_by_status ON users (status, id)
