-- The day of the books, in Tehran: of most transfers that of created_at. What a day has earned is booked after its midnight
-- and belongs to that day.
-- In steps, because a ledger may have millions of transfers: new ones get their day at once, the others in portions.

-- step
ALTER TABLE ledger_transfer ADD COLUMN booked_on date;
CREATE FUNCTION ledger_book() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.booked_on := coalesce(NEW.booked_on, (NEW.created_at AT TIME ZONE 'Asia/Tehran')::date);
  RETURN NEW;
END $$;
CREATE TRIGGER ledger_transfer_booked BEFORE INSERT ON ledger_transfer FOR EACH ROW EXECUTE FUNCTION ledger_book();

-- step: repeat
ALTER TABLE ledger_transfer DISABLE TRIGGER ledger_transfer_append_only;
UPDATE ledger_transfer SET booked_on = (created_at AT TIME ZONE 'Asia/Tehran')::date
WHERE id IN (SELECT id FROM ledger_transfer WHERE booked_on IS NULL LIMIT 10000);
ALTER TABLE ledger_transfer ENABLE TRIGGER ledger_transfer_append_only;

-- step
ALTER TABLE ledger_transfer ADD CONSTRAINT ledger_transfer_has_day CHECK (booked_on IS NOT NULL) NOT VALID;

-- step
ALTER TABLE ledger_transfer VALIDATE CONSTRAINT ledger_transfer_has_day;

-- step
-- The checked constraint spares the scan.
ALTER TABLE ledger_transfer ALTER COLUMN booked_on SET NOT NULL;
ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_has_day;

-- step: alone
DROP INDEX CONCURRENTLY IF EXISTS ledger_transfer_by_day;
CREATE INDEX CONCURRENTLY ledger_transfer_by_day ON ledger_transfer (booked_on);

-- step
INSERT INTO ledger_account (id, kind, code, created_at) VALUES
  -- what was paid for days of plans that are still to come
  ('00000000-0000-7000-8000-000000000021', 'house', 'deferred:plan', now()),
  -- what plans that ended early kept beyond the time that had passed (negative: gave back beyond it)
  ('00000000-0000-7000-8000-000000000022', 'house', 'revenue:plan-ended', now());

-- What of a plan's price is not earned yet; no row: nothing.
CREATE TABLE unearned_plan (
  subscription_id uuid PRIMARY KEY REFERENCES subscription (id),
  toman bigint NOT NULL CHECK (toman >= 0),
  -- the last day that was earned already when the plan got its present start and end
  after_day date
) WITH (fillfactor = 70);

-- Days whose part of all plans is booked.
CREATE TABLE earned_day (
  day date PRIMARY KEY,
  toman bigint NOT NULL CHECK (toman >= 0),
  booked_at timestamptz NOT NULL
);

-- Plans bought before count as every later one: what the time until now has earned stays revenue, and the rest becomes
-- deferred, in one transfer of today. Plans that are over or have ended stay as they were booked.
INSERT INTO unearned_plan (subscription_id, toman)
SELECT id, left_toman FROM (
  SELECT id, price_toman - div(
    price_toman * extract(epoch FROM greatest(now() - starts_at, interval '0')),
    extract(epoch FROM ends_at - starts_at)
  ) AS left_toman
  FROM subscription WHERE ended_at IS NULL AND ends_at > now()
) open WHERE left_toman > 0;
WITH moved AS (
  SELECT coalesce(sum(toman), 0)::bigint AS toman,
    (substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7000-8000-000000000021')::uuid AS id
  FROM unearned_plan, (SELECT lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') AS ms) clock GROUP BY ms
), transfer AS (
  INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at)
  SELECT id, 'subscription', 'upgrade', 'plans-by-day', 'defer', now() FROM moved WHERE toman > 0
)
INSERT INTO ledger_entry (transfer_id, account_id, amount)
SELECT id, '00000000-0000-7000-8000-000000000020'::uuid, -toman FROM moved WHERE toman > 0
UNION ALL SELECT id, '00000000-0000-7000-8000-000000000021'::uuid, toman FROM moved WHERE toman > 0;
-- So that a later migration of the same transaction may change the table.
SET CONSTRAINTS ledger_transfer_complete IMMEDIATE;
SET CONSTRAINTS ledger_transfer_complete DEFERRED;
