-- How long a lease should last is decided by a steady rate, and whether it could be renewed is remembered (decision 95).
ALTER TABLE meter ADD COLUMN lease_rate bigint NOT NULL DEFAULT 0;
ALTER TABLE meter ADD COLUMN lease_short boolean NOT NULL DEFAULT false;

-- A node has leases that were never granted here: a backup was restored, or the report is false.
ALTER TABLE node_anomaly DROP CONSTRAINT node_anomaly_kind_check;
ALTER TABLE node_anomaly ADD CONSTRAINT node_anomaly_kind_check
  CHECK (kind IN ('cloned', 'foreign_configs', 'beyond_lease', 'unknown_leases', 'beyond_link', 'impossible_numbers', 'former_machine'));
