-- Names that nodes keep unanswered for those who wish so: how often, never which.
ALTER TABLE node_presence
  -- names on the node's block list, as it last said
  ADD COLUMN blocked_names integer NOT NULL DEFAULT 0;

-- Who wishes it.
CREATE TABLE name_screening (user_id uuid PRIMARY KEY REFERENCES users (id));

CREATE TABLE withheld_day (
  user_id uuid NOT NULL REFERENCES users (id),
  -- of Tehran
  day date NOT NULL,
  count bigint NOT NULL CHECK (count >= 0),
  PRIMARY KEY (user_id, day)
);

-- What a node has done that an honest one on one machine does not: for the operator to look into.
CREATE TABLE node_suspicion (
  node_id uuid NOT NULL REFERENCES node (id),
  kind text NOT NULL CHECK (kind IN ('cloned', 'foreign_configs', 'beyond_lease', 'former_machine')),
  times bigint NOT NULL CHECK (times > 0),
  last_at timestamptz NOT NULL,
  PRIMARY KEY (node_id, kind)
);

-- The key of the registration before the present one: who still signs with it is a machine that was replaced.
ALTER TABLE node ADD COLUMN former_signing_key text;
