-- A node serves; takes nothing new (draining); is left, by its people, until a day (retired); is out (revoked).
ALTER TABLE node DROP CONSTRAINT node_status_check;
ALTER TABLE node ADD CONSTRAINT node_status_check
  CHECK (status IN ('active', 'inactive', 'draining', 'retired', 'revoked'));
ALTER TABLE node
  -- when its configs end, and where they are moved: null for wherever is best
  ADD COLUMN retires_at timestamptz,
  ADD COLUMN moves_to uuid REFERENCES node (id),
  -- what its provider lets pass in a calendar month (UTC), and takes for it, in millionths of a US dollar per 10⁹ bytes
  ADD COLUMN monthly_cap_gb integer CHECK (monthly_cap_gb > 0),
  ADD COLUMN cost_usd_micros_per_gb bigint CHECK (cost_usd_micros_per_gb >= 0),
  -- the cap is reached: nothing new until then
  ADD COLUMN capped_until timestamptz;

-- How the machine does, as it says itself; null: it has not said.
ALTER TABLE node_presence
  ADD COLUMN clock_offset_ms integer,
  ADD COLUMN disk_free_bytes bigint,
  ADD COLUMN disk_total_bytes bigint;

-- The server of this config is being left: until then it works beside the one that replaces it.
ALTER TABLE config ADD COLUMN leaves_at timestamptz;
CREATE INDEX config_leaving ON config (leaves_at) WHERE leaves_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX config_by_node ON config (node_id) WHERE removed_at IS NULL;
