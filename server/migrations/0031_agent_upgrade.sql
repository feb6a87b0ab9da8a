-- The agent that the operator wants on a node: SHA-256 of its one file, in hex; null: whichever it has.
ALTER TABLE node ADD COLUMN wanted_agent text CHECK (wanted_agent ~ '^[0-9a-f]{64}$');
