-- What a plan costs and gives, as rows that hold from a moment on and never change (decision 125). Cancelling a planned one is the only
-- change, and comes before its moment.
CREATE TABLE plan_version (
  id uuid PRIMARY KEY,
  plan_id text NOT NULL REFERENCES plan (id),
  price_toman bigint NOT NULL CHECK (price_toman >= 0),
  original_price_toman bigint,
  duration_days integer NOT NULL CHECK (duration_days BETWEEN 1 AND 3660),
  -- null: unlimited
  traffic_limit_bytes bigint CHECK (traffic_limit_bytes > 0),
  max_devices integer NOT NULL CHECK (max_devices > 0),
  valid_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null: the command line, or a time before versions were kept.
  created_by uuid REFERENCES staff_member (user_id),
  reason text,
  cancelled_at timestamptz,
  cancelled_by uuid REFERENCES staff_member (user_id),
  CONSTRAINT plan_version_original_price_above_price CHECK (original_price_toman > price_toman),
  CONSTRAINT plan_version_holds_from_its_making CHECK (valid_from >= created_at),
  CONSTRAINT plan_version_cancelled_in_time CHECK (cancelled_at < valid_from),
  CONSTRAINT plan_version_cancelled_by_somebody CHECK (cancelled_by IS NULL OR cancelled_at IS NOT NULL)
);
-- At each moment one version of a plan is sold.
CREATE UNIQUE INDEX plan_version_by_moment ON plan_version (plan_id, valid_from) WHERE cancelled_at IS NULL;

CREATE FUNCTION plan_version_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.cancelled_at IS NULL AND NEW.cancelled_at IS NOT NULL
    AND (NEW.id, NEW.plan_id, NEW.price_toman, NEW.duration_days, NEW.max_devices, NEW.valid_from, NEW.created_at)
      = (OLD.id, OLD.plan_id, OLD.price_toman, OLD.duration_days, OLD.max_devices, OLD.valid_from, OLD.created_at)
    AND (NEW.original_price_toman, NEW.traffic_limit_bytes, NEW.created_by, NEW.reason)
      IS NOT DISTINCT FROM (OLD.original_price_toman, OLD.traffic_limit_bytes, OLD.created_by, OLD.reason)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'versions of plans stay as they were: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER plan_version_unchanged BEFORE UPDATE OR DELETE ON plan_version
  FOR EACH ROW EXECUTE FUNCTION plan_version_refuse_change();
CREATE TRIGGER plan_version_no_truncate BEFORE TRUNCATE ON plan_version
  FOR EACH STATEMENT EXECUTE FUNCTION plan_version_refuse_change();

-- The terms of today are the first version of each plan. Since when they hold is not known: the Unix epoch says so.
INSERT INTO plan_version (id, plan_id, price_toman, original_price_toman, duration_days, traffic_limit_bytes, max_devices, valid_from, created_at)
SELECT gen_random_uuid(), id, price_toman, original_price_toman, duration_days, traffic_limit_bytes, max_devices, 'epoch', 'epoch' FROM plan;

-- A server of the release before sells by the columns of `plan`. They have the terms of the version named here, and follow the one that is
-- sold: at once when a change holds at once, and by a schedule when a planned one begins.
ALTER TABLE plan ADD COLUMN version_id uuid;
-- Counts the changes of a plan, its planned versions among them: a member's change names the one that was seen.
ALTER TABLE plan ADD COLUMN revision integer NOT NULL DEFAULT 1;
UPDATE plan SET version_id = v.id FROM plan_version v WHERE v.plan_id = plan.id;

-- The command line of the release before knows no versions. What it stores becomes one that holds at once.
CREATE FUNCTION plan_keep_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  made uuid := gen_random_uuid();
  at timestamptz;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.version_id IS DISTINCT FROM OLD.version_id OR NEW.revision <> OLD.revision THEN RETURN NULL; END IF;
    IF (NEW.price_toman, NEW.original_price_toman, NEW.duration_days, NEW.traffic_limit_bytes, NEW.max_devices)
      IS NOT DISTINCT FROM (OLD.price_toman, OLD.original_price_toman, OLD.duration_days, OLD.traffic_limit_bytes, OLD.max_devices)
    THEN
      UPDATE plan SET revision = revision + 1 WHERE id = NEW.id;
      RETURN NULL;
    END IF;
  ELSIF NEW.version_id IS NOT NULL THEN
    RETURN NULL;
  END IF;
  SELECT greatest(date_trunc('milliseconds', clock_timestamp()), max(valid_from) + interval '1 millisecond') INTO at
  FROM plan_version WHERE plan_id = NEW.id AND cancelled_at IS NULL AND (valid_from = created_at OR valid_from <= clock_timestamp());
  INSERT INTO plan_version (id, plan_id, price_toman, original_price_toman, duration_days, traffic_limit_bytes, max_devices, valid_from, created_at)
  VALUES (made, NEW.id, NEW.price_toman, NEW.original_price_toman, NEW.duration_days, NEW.traffic_limit_bytes, NEW.max_devices, at, at);
  UPDATE plan SET version_id = made, revision = revision + 1 WHERE id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER plan_kept AFTER INSERT OR UPDATE ON plan FOR EACH ROW EXECUTE FUNCTION plan_keep_version();

-- Which version was bought; null: bought before versions were kept, or from a server of the release before.
ALTER TABLE subscription ADD COLUMN version_id uuid REFERENCES plan_version (id);
