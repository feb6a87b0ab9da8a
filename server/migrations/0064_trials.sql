-- A trial: how much of its traffic is used, and why it ended before its last day. `users.trial_ends_at` stays the last day.
CREATE TABLE trial (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  limit_bytes bigint NOT NULL,
  used_bytes bigint NOT NULL DEFAULT 0,
  ended_at timestamptz,
  -- traffic: used up; earlier: the mailbox or phone number had a trial before
  end_reason text CHECK (end_reason IN ('traffic', 'earlier')),
  -- when the user was notified that the traffic is used up
  notified_at timestamptz,
  -- false: began before marks were kept; they are added in the background
  is_marked boolean NOT NULL DEFAULT true,
  CONSTRAINT trial_used_within_limit CHECK (used_bytes BETWEEN 0 AND limit_bytes),
  CONSTRAINT trial_end_has_reason CHECK ((ended_at IS NULL) = (end_reason IS NULL))
);
CREATE INDEX trial_unnotified ON trial (user_id) WHERE end_reason = 'traffic' AND notified_at IS NULL;
CREATE INDEX trial_unmarked ON trial (user_id) WHERE NOT is_marked;

-- By which a mailbox or phone number that had a trial is known again: an HMAC. Whose it was is forgotten with the account.
CREATE TABLE trial_mark (
  mark bytea PRIMARY KEY,
  user_id uuid REFERENCES users (id)
);
CREATE INDEX trial_mark_by_user ON trial_mark (user_id);

-- The first bytes of a config that the trial of its owner pays for, as far as they are leased.
ALTER TABLE meter ADD COLUMN trial_bytes bigint NOT NULL DEFAULT 0;

-- Trials that run at the upgrade were promised without a limit: it begins to count now.
UPDATE meter m SET trial_bytes = m.lease_limit_bytes FROM users u
WHERE u.id = m.user_id AND u.trial_ends_at > now() AND m.segment_start = 0 AND m.segment_price = 0 AND m.segment_subscription_id IS NULL;
INSERT INTO trial (user_id, limit_bytes, used_bytes, is_marked)
SELECT u.id, 10000000000 + coalesce(m.used, 0), coalesce(m.used, 0), false
FROM users u
LEFT JOIN (SELECT user_id, sum(least(billed_bytes, trial_bytes))::bigint AS used FROM meter GROUP BY user_id) m ON m.user_id = u.id
WHERE u.trial_ends_at IS NOT NULL AND u.status <> 'deleted';
