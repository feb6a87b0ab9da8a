-- Browsers and readings of the exchange rate are deleted by age (docs/decisions/0074). How long ago a known browser signed in is
-- not known: its time begins now. The default is for servers of the release before, which go on during the upgrade.

-- step
ALTER TABLE known_device ADD COLUMN last_seen_at timestamptz NOT NULL DEFAULT now();
CREATE INDEX debtor_mark_by_age ON debtor_mark (created_at);
-- step: alone
DROP INDEX CONCURRENTLY IF EXISTS known_device_by_age;
CREATE INDEX CONCURRENTLY known_device_by_age ON known_device (last_seen_at);
-- step: alone
DROP INDEX CONCURRENTLY IF EXISTS exchange_rate_refused;
CREATE INDEX CONCURRENTLY exchange_rate_refused ON exchange_rate (taken_at) WHERE kind = 'market' AND state <> 'accepted';
