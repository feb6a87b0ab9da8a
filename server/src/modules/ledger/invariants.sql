-- Invariants of the ledger. Each query returns no row while its invariant holds. They run after every test that moves
-- money, every minute in production, and after a restore. docs/test-codes.md lists the codes.
-- A `recent` query checks only rows of a time: from :transfer (an id) or :time on, and before :end_transfer or :end_time. Every
-- minute it checks what is new, provided that all older rows were checked before; month by month, once a day, it checks
-- everything. Where there is a `month` query, that one does so; what says something of users and configs rather than of a time checks
-- the month's share of them there: from :first_user and :first_config on, before :end_user and :end_config. `recent: condition` stands for the whole query with a condition.
-- A `set` is put in for its name. A `list` of ids is read once for the proof of what is new, and put in as an array: it is for `recent`
-- queries that have a `month` query beside them. What has no `recent` query costs the same however much there is. Decision 71.

-- name: L1 every transfer balances, has at least two entries and no zero entry
SELECT t.id, sum(e.amount) AS total, count(e.amount) AS lines
FROM ledger_transfer t LEFT JOIN ledger_entry e ON e.transfer_id = t.id
GROUP BY t.id HAVING coalesce(sum(e.amount), 0) <> 0 OR count(e.amount) < 2 OR bool_or(e.amount = 0);
-- recent
SELECT t.id, sum(e.amount) AS total, count(e.amount) AS lines
FROM ledger_transfer t
LEFT JOIN ledger_entry e ON e.transfer_id = t.id AND e.transfer_id >= :transfer AND e.transfer_id < :end_transfer
WHERE t.id >= :transfer AND t.id < :end_transfer
GROUP BY t.id HAVING coalesce(sum(e.amount), 0) <> 0 OR count(e.amount) < 2 OR bool_or(e.amount = 0);

-- name: L2 the whole ledger sums to zero
SELECT sum(amount) AS total FROM ledger_entry HAVING sum(amount) <> 0;
-- recent
SELECT sum(amount) AS total FROM ledger_entry
WHERE transfer_id >= :transfer AND transfer_id < :end_transfer HAVING sum(amount) <> 0;

-- name: L3 a balance row is the sum of its entries and the balance after the last one
SELECT a.id, a.balance, s.total, l.balance_after
FROM ledger_account a
LEFT JOIN (SELECT account_id, sum(amount) AS total, max(account_version) AS version FROM ledger_entry GROUP BY account_id) s ON s.account_id = a.id
LEFT JOIN ledger_entry l ON l.account_id = a.id AND l.account_version = s.version
WHERE a.kind <> 'house' AND (a.balance <> coalesce(s.total, 0) OR a.version <> coalesce(s.version, 0) OR a.balance <> coalesce(l.balance_after, 0));
-- recent
SELECT a.id, a.balance, l.balance_after
FROM (
  SELECT account_id, max(version) AS version FROM (
    SELECT account_id, account_version AS version FROM ledger_entry
    WHERE transfer_id >= :transfer AND transfer_id < :end_transfer AND account_version IS NOT NULL
    UNION ALL SELECT id, 0 FROM ledger_account WHERE id >= :transfer AND id < :end_transfer AND kind <> 'house'
  ) either GROUP BY account_id
) touched
JOIN ledger_account a ON a.id = touched.account_id
LEFT JOIN ledger_entry l ON l.account_id = a.id AND l.account_version = a.version
WHERE a.version < touched.version OR coalesce(l.balance_after, 0) <> a.balance OR (l.account_id IS NULL AND a.version > 0);
-- month
-- The accounts of the month's share of users, and whatever got an entry in it.
SELECT a.id, a.balance, l.balance_after
FROM (
  SELECT account_id, max(version) AS version FROM (
    SELECT account_id, account_version AS version FROM ledger_entry
    WHERE transfer_id >= :transfer AND transfer_id < :end_transfer AND account_version IS NOT NULL
    UNION ALL SELECT id, 0 FROM ledger_account WHERE owner_id >= :first_user AND owner_id < :end_user AND kind <> 'house'
  ) either GROUP BY account_id
) touched
JOIN ledger_account a ON a.id = touched.account_id
LEFT JOIN ledger_entry l ON l.account_id = a.id AND l.account_version = a.version
WHERE a.version < touched.version OR coalesce(l.balance_after, 0) <> a.balance OR (l.account_id IS NULL AND a.version > 0);

-- name: L4 account versions have no gap and each balance follows from the one before
SELECT account_id, account_version FROM (
  SELECT account_id, account_version, amount, balance_after,
    lag(account_version, 1, 0::bigint) OVER w AS version_before, lag(balance_after, 1, 0::bigint) OVER w AS balance_before
  FROM ledger_entry WHERE account_version IS NOT NULL
  WINDOW w AS (PARTITION BY account_id ORDER BY account_version)
) chain WHERE account_version <> version_before + 1 OR balance_after <> balance_before + amount;
-- recent
SELECT e.account_id, e.account_version
FROM ledger_entry e LEFT JOIN ledger_entry before ON before.account_id = e.account_id AND before.account_version = e.account_version - 1
WHERE e.transfer_id >= :transfer AND e.transfer_id < :end_transfer AND e.account_version IS NOT NULL
  AND ((before.account_id IS NULL) <> (e.account_version = 1) OR e.balance_after <> coalesce(before.balance_after, 0) + e.amount);
-- month
-- By sums of fingerprints. Each entry gives one of its version and the balance after it, and takes one of the version before and the balance
-- before it. In a chain all cancel out but the last and that before the first. (64 bits: a break and another one that hides it are
-- not to be expected.) What does not is looked at entry by entry: it may only have got an entry whose transfer is of another month.
WITH suspected AS MATERIALIZED (
  SELECT s.account_id FROM (
    SELECT account_id, min(account_version) AS first, max(account_version) AS last, count(*) AS entries,
      sum(hashint8extended(balance_after, account_version)) AS given, sum(hashint8extended(balance_after - amount, account_version - 1)) AS taken
    FROM ledger_entry
    WHERE transfer_id >= :transfer AND transfer_id < :end_transfer AND account_version IS NOT NULL GROUP BY account_id
  ) s
  LEFT JOIN ledger_entry before ON before.account_id = s.account_id AND before.account_version = s.first - 1
  LEFT JOIN ledger_entry latest ON latest.account_id = s.account_id AND latest.account_version = s.last
  WHERE s.entries <> s.last - s.first + 1 OR (before.account_id IS NULL) <> (s.first = 1)
    OR s.given - s.taken <> hashint8extended(latest.balance_after, s.last)::numeric
                          - hashint8extended(coalesce(before.balance_after, 0), s.first - 1)
)
SELECT e.account_id, e.account_version
FROM ledger_entry e LEFT JOIN ledger_entry before ON before.account_id = e.account_id AND before.account_version = e.account_version - 1
WHERE e.account_id = ANY (ARRAY(SELECT account_id FROM suspected))
  AND e.transfer_id >= :transfer AND e.transfer_id < :end_transfer AND e.account_version IS NOT NULL
  AND ((before.account_id IS NULL) <> (e.account_version = 1) OR e.balance_after <> coalesce(before.balance_after, 0) + e.amount);

-- name: L6 one transfer per cause
SELECT source_type, source_id, purpose FROM ledger_transfer GROUP BY 1, 2, 3 HAVING count(*) > 1;
-- recent
SELECT t.source_type, t.source_id, t.purpose FROM ledger_transfer t
JOIN ledger_transfer other USING (source_type, source_id, purpose)
WHERE t.id >= :transfer AND t.id < :end_transfer AND other.id <> t.id;

-- name: L7 no wallet below what it reserves, and nothing in accounts of leases, which exist no longer
SELECT id, balance, reserved FROM ledger_account
WHERE kind <> 'house' AND (balance < reserved OR reserved < 0 OR (kind = 'user_lease' AND balance <> 0));
-- recent
SELECT a.id, a.balance, a.reserved FROM (
  SELECT DISTINCT account_id FROM ledger_entry
  WHERE transfer_id >= :transfer AND transfer_id < :end_transfer AND account_version IS NOT NULL
) touched JOIN ledger_account a ON a.id = touched.account_id
WHERE a.balance < a.reserved OR a.reserved < 0 OR (a.kind = 'user_lease' AND a.balance <> 0);

-- name: L19 every amount fits into a JSON number
SELECT transfer_id FROM ledger_entry WHERE abs(amount) > 9007199254740991 OR abs(coalesce(balance_after, 0)) > 9007199254740991;
-- recent
SELECT transfer_id FROM ledger_entry
WHERE transfer_id >= :transfer AND transfer_id < :end_transfer
  AND (abs(amount) > 9007199254740991 OR abs(coalesce(balance_after, 0)) > 9007199254740991);

-- name: L34 a closed month has the sums that it was closed with
SELECT month, account, f.toman, s.moved_toman FROM (
  SELECT m.month, CASE a.kind WHEN 'house' THEN a.code ELSE a.kind END AS account, sum(e.amount) AS toman
  FROM book_month m JOIN ledger_transfer t ON t.booked_on BETWEEN m.first_day AND m.last_day
  JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id GROUP BY 1, 2
) f FULL JOIN book_month_sum s USING (month, account) WHERE coalesce(f.toman, 0) <> coalesce(s.moved_toman, 0);
-- recent
SELECT month FROM (
  SELECT DISTINCT m.* FROM ledger_transfer t
  JOIN book_month m ON t.booked_on BETWEEN m.first_day AND m.last_day AND m.closed_at < t.created_at
  WHERE t.id >= :transfer AND t.id < :end_transfer
) suspected
-- Booked before it was closed, by a clock that ran ahead, is no violation.
WHERE transfers <> (SELECT count(*) FROM ledger_transfer WHERE booked_on BETWEEN first_day AND last_day);
-- month
SELECT month, account, f.toman, s.moved_toman FROM (
  SELECT m.month, CASE a.kind WHEN 'house' THEN a.code ELSE a.kind END AS account, sum(e.amount) AS toman
  FROM book_month m JOIN ledger_transfer t ON t.booked_on BETWEEN m.first_day AND m.last_day
  JOIN ledger_entry e ON e.transfer_id = t.id JOIN ledger_account a ON a.id = e.account_id
  WHERE m.month = :month GROUP BY 1, 2
) f FULL JOIN (SELECT * FROM book_month_sum WHERE month = :month) s USING (month, account)
WHERE coalesce(f.toman, 0) <> coalesce(s.moved_toman, 0)
UNION ALL
SELECT m.month, 'transfers', t.count, m.transfers FROM book_month m CROSS JOIN LATERAL (
  SELECT count(*) FROM ledger_transfer WHERE booked_on BETWEEN m.first_day AND m.last_day
) t WHERE m.month = :month AND t.count <> m.transfers;

-- name: L35 closed months follow each other: nothing is booked before them or between them, and each ends where the next begins
SELECT m.month, s.account FROM book_month m
LEFT JOIN book_month before ON before.last_day = m.first_day - 1
LEFT JOIN book_month_sum s ON s.month = m.month
LEFT JOIN book_month_sum b ON b.month = before.month AND b.account = s.account
WHERE s.closing_toman <> s.moved_toman + coalesce(b.closing_toman, 0)
  OR (before.month IS NULL AND EXISTS (SELECT FROM ledger_transfer WHERE booked_on < m.first_day));
