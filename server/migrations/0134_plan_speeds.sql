-- The greatest speed of each device of a plan, in each direction, in Mbit/s (decision 136); null: no limit. A subscription has that of its version.
ALTER TABLE plan_version ADD COLUMN max_mbit integer CHECK (max_mbit BETWEEN 1 AND 10000);

CREATE OR REPLACE FUNCTION plan_version_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.cancelled_at IS NULL AND NEW.cancelled_at IS NOT NULL
    AND (NEW.id, NEW.plan_id, NEW.price_toman, NEW.duration_days, NEW.max_devices, NEW.valid_from, NEW.created_at)
      = (OLD.id, OLD.plan_id, OLD.price_toman, OLD.duration_days, OLD.max_devices, OLD.valid_from, OLD.created_at)
    AND (NEW.original_price_toman, NEW.traffic_limit_bytes, NEW.max_mbit, NEW.created_by, NEW.reason)
      IS NOT DISTINCT FROM (OLD.original_price_toman, OLD.traffic_limit_bytes, OLD.max_mbit, OLD.created_by, OLD.reason)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'versions of plans stay as they were: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
