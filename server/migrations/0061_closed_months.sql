-- A closed month does not change. What would be booked in it is booked on the first day after it, and says of which day it is.
CREATE TABLE book_month (
  -- Jalali, as 1405-08
  month text PRIMARY KEY CHECK (month ~ '^1[34]\d\d-(0[1-9]|1[0-2])$'),
  first_day date NOT NULL UNIQUE,
  last_day date NOT NULL UNIQUE,
  transfers bigint NOT NULL,
  operator text NOT NULL CHECK (operator <> ''),
  closed_at timestamptz NOT NULL,
  CONSTRAINT book_month_days CHECK (last_day - first_day BETWEEN 28 AND 30)
);

-- What a closed month moved on each account, and the account's balance at its end. Accounts of users are two sums.
CREATE TABLE book_month_sum (
  month text NOT NULL REFERENCES book_month (month),
  account text NOT NULL,
  moved_toman bigint NOT NULL,
  closing_toman bigint NOT NULL,
  PRIMARY KEY (month, account)
);
CREATE TRIGGER book_month_append_only BEFORE UPDATE OR DELETE ON book_month FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER book_month_sum_append_only BEFORE UPDATE OR DELETE ON book_month_sum FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER book_month_no_truncate BEFORE TRUNCATE ON book_month FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER book_month_sum_no_truncate BEFORE TRUNCATE ON book_month_sum FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- The day of a fact whose own month was closed when it was booked.
ALTER TABLE ledger_transfer ADD COLUMN fact_day date;
CREATE INDEX ledger_transfer_late ON ledger_transfer (booked_on) WHERE fact_day IS NOT NULL;

-- A transaction that books on a day holds that day's lock until the end of the transaction; closing a month takes the locks of all its
-- days. So nothing is booked in a month while its sums are taken, and days of other months do not wait.
CREATE FUNCTION ledger_hold_day(day date) RETURNS void LANGUAGE sql AS $$
  SELECT pg_advisory_xact_lock_shared(1405, day - date '2000-01-01')
$$;

CREATE OR REPLACE FUNCTION ledger_book() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  closed date;
BEGIN
  NEW.booked_on := coalesce(NEW.booked_on, (NEW.created_at AT TIME ZONE 'Asia/Tehran')::date);
  NEW.fact_day := NULL;
  LOOP
    PERFORM ledger_hold_day(NEW.booked_on);
    closed := (SELECT max(last_day) FROM book_month);
    EXIT WHEN closed IS NULL OR NEW.booked_on > closed;
    NEW.fact_day := coalesce(NEW.fact_day, NEW.booked_on);
    NEW.booked_on := closed + 1;
  END LOOP;
  RETURN NEW;
END $$;

-- Entries that are added to a transfer of before would change its month as well.
CREATE FUNCTION ledger_refuse_closed() RETURNS trigger LANGUAGE plpgsql
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
  closed date;
  day date;
BEGIN
  FOR day IN SELECT DISTINCT t.booked_on FROM new_entries e JOIN ledger_transfer t ON t.id = e.transfer_id LOOP
    PERFORM ledger_hold_day(day);
    closed := (SELECT max(last_day) FROM book_month);
    IF day <= closed THEN
      RAISE EXCEPTION 'the month of % is closed', day USING ERRCODE = 'restrict_violation';
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_open_month AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS new_entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_closed();
