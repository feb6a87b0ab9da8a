-- Double entry in integer toman. A transfer and its entries are written once, together, balanced, and never change.

CREATE TABLE ledger_account (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('user_wallet', 'user_lease', 'house')),
  owner_id uuid,
  code text NOT NULL UNIQUE,
  -- House accounts keep no balance row: they are sums, so that no row is hot.
  balance bigint,
  version bigint,
  floor bigint,
  created_at timestamptz NOT NULL,
  CHECK ((kind = 'house') = (balance IS NULL)),
  CHECK ((kind = 'house') = (version IS NULL)),
  CHECK ((kind = 'house') = (owner_id IS NULL)),
  CONSTRAINT ledger_account_floor CHECK (balance >= floor)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX ledger_account_owner ON ledger_account (owner_id, kind) WHERE owner_id IS NOT NULL;

CREATE TABLE ledger_transfer (
  id uuid PRIMARY KEY,
  kind text NOT NULL,
  source_type text NOT NULL,
  source_id text NOT NULL,
  purpose text NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (source_type, source_id, purpose)
);

CREATE TABLE ledger_entry (
  transfer_id uuid NOT NULL,
  account_id uuid NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  -- null on house accounts
  account_version bigint,
  balance_after bigint,
  PRIMARY KEY (transfer_id, account_id),
  CHECK ((account_version IS NULL) = (balance_after IS NULL))
);
CREATE UNIQUE INDEX ledger_entry_version ON ledger_entry (account_id, account_version) WHERE account_version IS NOT NULL;
CREATE INDEX ledger_entry_house ON ledger_entry (account_id) WHERE account_version IS NULL;

CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % on % refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER ledger_transfer_append_only BEFORE UPDATE OR DELETE ON ledger_transfer
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE ON ledger_entry
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_transfer_no_truncate BEFORE TRUNCATE ON ledger_transfer
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entry_no_truncate BEFORE TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_account_kept BEFORE DELETE ON ledger_account
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();

-- Every INSERT must balance each of its transfers by itself, on accounts that exist. A statement-level check with a
-- transition table costs one pass however many entries a usage report has; foreign keys would lock house accounts.
CREATE FUNCTION ledger_check_entries() RETURNS trigger LANGUAGE plpgsql
-- However many accounts there are, only those named are looked up.
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
  wrong uuid;
BEGIN
  SELECT transfer_id INTO wrong FROM new_entries GROUP BY transfer_id HAVING sum(amount) <> 0 OR count(*) < 2 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'transfer % does not balance', wrong USING ERRCODE = 'check_violation';
  END IF;
  SELECT e.transfer_id INTO wrong FROM new_entries e LEFT JOIN ledger_account a ON a.id = e.account_id
    WHERE a.id IS NULL OR (a.kind = 'house') <> (e.account_version IS NULL) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'transfer % names an unknown account', wrong USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_balanced AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS new_entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_check_entries();

-- At commit each new transfer has its entries and they sum to zero.
CREATE FUNCTION ledger_check_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  total numeric;
  lines bigint;
BEGIN
  SELECT coalesce(sum(amount), 0), count(*) INTO total, lines FROM ledger_entry WHERE transfer_id = NEW.id;
  IF total <> 0 OR lines < 2 THEN
    RAISE EXCEPTION 'transfer % has % entries that sum to %', NEW.id, lines, total USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER ledger_transfer_complete AFTER INSERT ON ledger_transfer
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_check_transfer();

-- House accounts of the product; their ids are fixed so that no code has to look them up.
INSERT INTO ledger_account (id, kind, code, created_at) VALUES
  ('00000000-0000-7000-8000-000000000001', 'house', 'gateway:zarinpal:clearing', now()),
  ('00000000-0000-7000-8000-000000000002', 'house', 'gateway:idpay:clearing', now()),
  ('00000000-0000-7000-8000-000000000003', 'house', 'gateway:nextpay:clearing', now()),
  ('00000000-0000-7000-8000-000000000004', 'house', 'revenue:usage', now()),
  ('00000000-0000-7000-8000-000000000005', 'house', 'gift:issued', now()),
  ('00000000-0000-7000-8000-000000000006', 'house', 'adjustment', now()),
  ('00000000-0000-7000-8000-000000000007', 'house', 'writeoff', now());
