-- The latest stop of a user's service: a config had used up what was paid, and nothing paid for more. One row per user, because
-- the screens say only how it is now and how the last stop ended.
CREATE TABLE service_stop (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  -- what had paid for the last bytes
  cause text NOT NULL CHECK (cause IN ('money', 'plan', 'trial')),
  stopped_at timestamptz NOT NULL,
  -- when leases were raised again; null while the service is stopped
  restored_at timestamptz,
  -- when a node confirmed such a lease
  opened_at timestamptz,
  CONSTRAINT service_stop_opens_after_restore CHECK (opened_at IS NULL OR restored_at IS NOT NULL)
);

-- Users who are stopped at the upgrade: they were told so and not of the end, and no lease of theirs lets through what a device needs.
INSERT INTO service_stop (user_id, cause, stopped_at)
SELECT n.user_id, 'money', max(n.created_at) FILTER (WHERE n.kind = 'service_cut')
FROM notification n WHERE n.kind IN ('service_cut', 'service_restored')
  AND NOT EXISTS (SELECT FROM meter m WHERE m.user_id = n.user_id AND NOT m.final AND m.lease_limit_bytes - m.billed_bytes >= 8000000)
GROUP BY n.user_id
HAVING count(*) FILTER (WHERE n.kind = 'service_cut') > count(*) FILTER (WHERE n.kind = 'service_restored');
