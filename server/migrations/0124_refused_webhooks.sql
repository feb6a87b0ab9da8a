-- Webhooks of gift-card stores that were refused or came again: counted by store, reason and hour, so that a stranger who sends
-- millions of them fills one row an hour. Nothing of the webhook is kept (decision 121).
CREATE TABLE refused_webhook (
  store text NOT NULL,
  reason text NOT NULL,
  hour timestamptz NOT NULL,
  count bigint NOT NULL,
  last_at timestamptz NOT NULL,
  CONSTRAINT refused_webhook_pkey PRIMARY KEY (store, reason, hour),
  CONSTRAINT refused_webhook_reason_known CHECK (
    reason IN ('unsigned', 'wrong_signature', 'too_old', 'unknown_visit', 'unusable_code', 'repeated')),
  CONSTRAINT refused_webhook_count_positive CHECK (count > 0)
);

CREATE INDEX refused_webhook_by_age ON refused_webhook (hour);
