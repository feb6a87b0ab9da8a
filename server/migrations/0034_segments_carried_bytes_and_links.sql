-- A report that has waited for a meter prices its bytes by the row as it finds it then. A function that is not volatile
-- would read the segments as they were before the wait, without the one that the row's last change has closed: bytes
-- would pass for nothing. A volatile one reads them as they are; they change only together with the locked row.
ALTER FUNCTION charge_closed_segments(uuid, bigint, bigint) VOLATILE;

-- Bytes that came back from leases after their period was used up and had ended: off that one, on the one that runs.
ALTER TABLE subscription ADD COLUMN carried_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE subscription DROP CONSTRAINT subscription_check2;
ALTER TABLE subscription ADD CONSTRAINT subscription_granted_within_traffic
  CHECK (granted_bytes <= traffic_limit_bytes + carried_bytes);

ALTER TABLE node_presence
  -- bytes billed by the node's reports beyond what its link has carried since; as of when
  ADD COLUMN passed_ahead_bytes bigint NOT NULL DEFAULT 0,
  ADD COLUMN passed_at timestamptz;
ALTER TABLE node_suspicion DROP CONSTRAINT node_suspicion_kind_check;
ALTER TABLE node_suspicion ADD CONSTRAINT node_suspicion_kind_check
  CHECK (kind IN ('cloned', 'foreign_configs', 'beyond_lease', 'beyond_link', 'former_machine'));
