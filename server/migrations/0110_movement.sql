-- Movement (docs/decisions/0110). An entry of a node is one of its relays, or its own address (no relay).
-- An entry that networks block: it is in no new file and in no name until the block ends.
CREATE TABLE entry_block (
  id uuid PRIMARY KEY,
  node_id uuid NOT NULL REFERENCES node (id),
  relay_id uuid REFERENCES relay (id) ON DELETE CASCADE,
  began_at timestamptz NOT NULL,
  ended_at timestamptz,
  -- When everyone whose files may name it had been notified.
  notified_at timestamptz
);
CREATE UNIQUE INDEX entry_block_standing ON entry_block (node_id, relay_id) NULLS NOT DISTINCT WHERE ended_at IS NULL;

-- The name of a node's entries in the operator's zone, and what it was last set to.
CREATE TABLE entry_name (
  node_id uuid PRIMARY KEY REFERENCES node (id),
  name text NOT NULL UNIQUE,
  addresses text[] NOT NULL,
  published_at timestamptz NOT NULL
);
