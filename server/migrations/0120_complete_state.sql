-- A node that has applied a generation below this one gets the complete state. Raised by a restore from a backup, after which the
-- generations that nodes have applied belong to a history that is lost.
ALTER TABLE node ADD COLUMN snapshot_below bigint NOT NULL DEFAULT 0;
