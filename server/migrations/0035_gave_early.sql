-- Once a period could give bytes before it had begun. Those that did are known by this, so that L25 can be asked of all others.
ALTER TABLE subscription ADD COLUMN gave_early boolean NOT NULL DEFAULT false;
UPDATE subscription SET gave_early = true WHERE granted_bytes > 0 AND starts_at > coalesce(ended_at, now());
