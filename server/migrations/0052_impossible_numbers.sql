-- A report with numbers that nobody can have measured is refused, and counted for the operator.
ALTER TABLE node_anomaly DROP CONSTRAINT node_anomaly_kind_check;
ALTER TABLE node_anomaly ADD CONSTRAINT node_anomaly_kind_check
  CHECK (kind IN ('cloned', 'foreign_configs', 'beyond_lease', 'beyond_link', 'impossible_numbers', 'former_machine'));
