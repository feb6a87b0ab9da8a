-- A monthly cap of a config, which ends its leases to the byte (docs/decisions/0090).
ALTER TABLE meter
  -- bytes of a Jalali month of Tehran; null: no cap
  ADD COLUMN cap_bytes bigint CHECK (cap_bytes > 0),
  -- the first day of the month for which cap_end_bytes holds
  ADD COLUMN cap_from date,
  -- the total of all bytes passed at which that month's cap is reached; a cap that is lowered may lie below what has passed
  ADD COLUMN cap_end_bytes bigint,
  ADD CONSTRAINT meter_cap_is_whole CHECK ((cap_bytes IS NULL) = (cap_from IS NULL) AND (cap_bytes IS NULL) = (cap_end_bytes IS NULL));

CREATE INDEX meter_capped ON meter (config_id) WHERE cap_bytes IS NOT NULL AND NOT final;
