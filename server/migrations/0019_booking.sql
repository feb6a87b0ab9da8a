-- What a config has used is priced with every reading and booked in the ledger about once a minute. Until then its price
-- waits in the meter; the lease account still holds the money.
ALTER TABLE meter DROP COLUMN last_delta;
ALTER TABLE meter DROP COLUMN last_charge;
ALTER TABLE meter
  ADD COLUMN unbooked_toman bigint NOT NULL DEFAULT 0 CHECK (unbooked_toman >= 0),
  -- what the last statement took out of unbooked_toman, booked in the same transaction
  ADD COLUMN due_toman bigint NOT NULL DEFAULT 0;

-- A person's two accounts as people mean them: free money, and money reserved for bytes that have not passed yet.
CREATE VIEW user_account AS
  SELECT w.owner_id AS user_id, w.id AS wallet_id, l.id AS lease_id, w.balance AS wallet,
    (l.balance - coalesce((SELECT sum(m.unbooked_toman) FROM meter m WHERE m.user_id = w.owner_id), 0))::bigint AS lease
  FROM ledger_account w JOIN ledger_account l ON l.owner_id = w.owner_id AND l.kind = 'user_lease'
  WHERE w.kind = 'user_wallet';

-- Every INSERT of entries balances by itself (ledger_entry_balanced), so at commit it is enough that there are some.
CREATE OR REPLACE FUNCTION ledger_check_transfer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM ledger_entry WHERE transfer_id = NEW.id) THEN
    RAISE EXCEPTION 'transfer % has 0 entries', NEW.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
