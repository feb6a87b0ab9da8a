-- When a call was begun that would pay a second time if it were made again. Of refunds under way nobody knows any more.
ALTER TABLE refund ADD COLUMN asked_once_at timestamptz;
UPDATE refund SET asked_once_at = coalesce(sent_at, created_at) WHERE route = 'gateway' AND state IN ('sent', 'unknown');
