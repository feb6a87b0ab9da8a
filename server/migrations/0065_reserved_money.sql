-- Money that leases reserve is a part of the wallet and no account of its own: reserving and releasing it moves nothing in
-- the ledger, and usage is booked from the wallet by the hour.
ALTER TABLE ledger_account ADD COLUMN reserved bigint NOT NULL DEFAULT 0;

-- What lease accounts hold goes back to the wallets, reserved, in one transfer of today.
CREATE TEMP TABLE held ON COMMIT DROP AS
  SELECT l.id AS lease_id, w.id AS wallet_id, l.balance AS toman
  FROM ledger_account l JOIN ledger_account w ON w.owner_id = l.owner_id AND w.kind = 'user_wallet'
  WHERE l.kind = 'user_lease' AND l.balance <> 0;
CREATE TEMP TABLE returned ON COMMIT DROP AS
  SELECT (substr(ms, 1, 8) || '-' || substr(ms, 9, 4) || '-7000-8000-000000000065')::uuid AS id
  FROM (SELECT lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') AS ms) clock WHERE EXISTS (SELECT FROM held);
INSERT INTO ledger_transfer (id, kind, source_type, source_id, purpose, created_at)
SELECT id, 'lease_release', 'upgrade', 'reserved-money', 'release', now() FROM returned;
UPDATE ledger_account a SET balance = 0, version = a.version + 1 FROM held h WHERE a.id = h.lease_id;
UPDATE ledger_account a SET balance = a.balance + h.toman, reserved = h.toman, version = a.version + 1
FROM held h WHERE a.id = h.wallet_id;
INSERT INTO ledger_entry (transfer_id, account_id, amount, account_version, balance_after)
SELECT r.id, a.id, CASE a.kind WHEN 'user_lease' THEN -h.toman ELSE h.toman END, a.version, a.balance
FROM returned r, held h JOIN ledger_account a ON a.id IN (h.lease_id, h.wallet_id);
-- So that the table may be changed in the same transaction.
SET CONSTRAINTS ledger_transfer_complete IMMEDIATE;
SET CONSTRAINTS ledger_transfer_complete DEFERRED;

ALTER TABLE ledger_account DROP CONSTRAINT ledger_account_floor;
ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_floor CHECK (balance - reserved >= floor);
ALTER TABLE ledger_account ADD CONSTRAINT ledger_account_reserved
  CHECK (reserved >= 0 AND (reserved = 0 OR kind = 'user_wallet'));

-- A user's free money, and what is reserved for bytes that have not passed.
DROP VIEW user_account;
CREATE VIEW user_account AS
  SELECT w.owner_id AS user_id, w.id AS wallet_id, w.balance - w.reserved AS wallet,
    (w.reserved - coalesce((SELECT sum(m.unbooked_toman) FROM meter m WHERE m.user_id = w.owner_id), 0))::bigint AS lease
  FROM ledger_account w WHERE w.kind = 'user_wallet';

-- The hour of the oldest usage that is not booked; null: everything is. It changes twice an hour, so that its index does not cost
-- every report.
ALTER TABLE meter ADD COLUMN unbooked_since timestamptz;
UPDATE meter SET unbooked_since = coalesce(hour_start, sampled_at, now()) WHERE unbooked_toman > 0;
ALTER TABLE meter ADD CONSTRAINT meter_unbooked_has_hour CHECK ((unbooked_toman > 0) = (unbooked_since IS NOT NULL));
CREATE INDEX meter_unbooked ON meter (unbooked_since) WHERE unbooked_since IS NOT NULL;
