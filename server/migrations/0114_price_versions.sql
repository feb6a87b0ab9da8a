-- What a gigabyte costs, as rows that hold from a moment on and never change (decision 118). Cancelling a planned one is the only
-- change, and comes before its moment.
CREATE TABLE price_version (
  id uuid PRIMARY KEY,
  usd_cents_per_gb integer NOT NULL CHECK (usd_cents_per_gb BETWEEN 0 AND 100000),
  valid_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null: the command line, or this migration.
  created_by uuid REFERENCES staff_member (user_id),
  reason text,
  cancelled_at timestamptz,
  cancelled_by uuid REFERENCES staff_member (user_id),
  CONSTRAINT price_version_holds_from_its_making CHECK (valid_from >= created_at),
  CONSTRAINT price_version_cancelled_in_time CHECK (cancelled_at < valid_from),
  CONSTRAINT price_version_cancelled_by_somebody CHECK (cancelled_by IS NULL OR cancelled_at IS NOT NULL)
);
-- At each moment one price is in force.
CREATE UNIQUE INDEX price_version_by_moment ON price_version (valid_from) WHERE cancelled_at IS NULL;

CREATE FUNCTION price_version_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.cancelled_at IS NULL AND NEW.cancelled_at IS NOT NULL
    AND (NEW.id, NEW.usd_cents_per_gb, NEW.valid_from, NEW.created_at) = (OLD.id, OLD.usd_cents_per_gb, OLD.valid_from, OLD.created_at)
    AND (NEW.created_by, NEW.reason) IS NOT DISTINCT FROM (OLD.created_by, OLD.reason)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'prices that were stay as they were: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER price_version_unchanged BEFORE UPDATE OR DELETE ON price_version
  FOR EACH ROW EXECUTE FUNCTION price_version_refuse_change();
CREATE TRIGGER price_version_no_truncate BEFORE TRUNCATE ON price_version
  FOR EACH STATEMENT EXECUTE FUNCTION price_version_refuse_change();

-- The present price is the first version. Where it was never set, the initial one of the product holds until the first change. The
-- setting stays for a server of the release before that still runs; nothing reads it afterwards.
INSERT INTO price_version (id, usd_cents_per_gb, valid_from, created_at)
SELECT gen_random_uuid(), (value #>> '{}')::integer, updated_at, updated_at FROM setting WHERE key = 'price.usdCentsPerGb';
