-- How devices get through by entry, for the rule that takes out blocked ones (decision 132). Counts of ten minutes, kept for two hours: no
-- user, no config, no address.
CREATE TABLE entry_reach (
  slot timestamptz NOT NULL,
  node_id uuid NOT NULL,
  -- Null: the server's own address.
  relay_id uuid,
  -- Number of the autonomous system; 0: of all together, because a relay hides it.
  network bigint NOT NULL,
  transport text NOT NULL,
  attempts bigint NOT NULL,
  through bigint NOT NULL,
  UNIQUE NULLS NOT DISTINCT (slot, node_id, relay_id, network, transport)
);
-- Entries that look blocked now and were not taken out, and why not.
CREATE TABLE entry_suspect (
  node_id uuid NOT NULL REFERENCES node (id),
  relay_id uuid REFERENCES relay (id) ON DELETE CASCADE,
  seen_at timestamptz NOT NULL,
  kept text NOT NULL CHECK (kept IN ('last', 'share', 'off')),
  UNIQUE NULLS NOT DISTINCT (node_id, relay_id)
);
-- What the rule saw, beside the block that it made.
ALTER TABLE entry_block ADD COLUMN evidence jsonb;
