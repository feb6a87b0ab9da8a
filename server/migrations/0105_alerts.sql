-- Alerts that leave the machine (decision 104). One row per cause: it waits (opened_at is null) until the cause has stood long
-- enough, is open, and closes when the cause is gone.
CREATE TABLE alert (
  id uuid PRIMARY KEY,
  rule text NOT NULL,
  -- What it is about, such as the name of a server; empty if the rule has one cause only.
  cause text NOT NULL,
  severity text NOT NULL CHECK (severity IN ('page', 'ticket')),
  figure bigint,
  began_at timestamptz NOT NULL,
  -- When the cause was last there.
  seen_at timestamptz NOT NULL,
  opened_at timestamptz,
  -- Whether a message that it is open was written; not while its cause is silenced.
  announced boolean NOT NULL DEFAULT false,
  -- When the next message about it is due; null: none is.
  next_at timestamptz,
  acknowledged_at timestamptz,
  -- Null: at the command line.
  acknowledged_by uuid REFERENCES users (id),
  silenced_until timestamptz,
  silenced_by uuid REFERENCES users (id),
  closed_at timestamptz,
  CONSTRAINT alert_closed_was_open CHECK (closed_at IS NULL OR opened_at IS NOT NULL)
);
CREATE UNIQUE INDEX alert_standing ON alert (rule, cause) WHERE closed_at IS NULL;
CREATE INDEX alert_closed ON alert (closed_at DESC, id DESC) WHERE closed_at IS NOT NULL;
CREATE INDEX alert_silenced ON alert (silenced_until) WHERE silenced_until IS NOT NULL;

-- What is sent about an alert: one row for each mail, and one for the webhook, whose `webhook-id` is the row's id.
CREATE TABLE alert_message (
  id uuid PRIMARY KEY,
  alert_id uuid NOT NULL REFERENCES alert (id) ON DELETE CASCADE,
  event text NOT NULL CHECK (event IN ('opened', 'reminded', 'closed')),
  channel text NOT NULL CHECK (channel IN ('mail', 'webhook')),
  -- Of a mail: the member; null: the operator's address of the configuration.
  member_id uuid REFERENCES users (id),
  -- The alert as it was then (JSON): a repeated message is the same one.
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  -- When it is tried again; null: it was sent or given up.
  next_at timestamptz,
  sent_at timestamptz,
  failed_at timestamptz,
  -- Why the last attempt failed.
  failure text,
  CONSTRAINT alert_message_ends CHECK (num_nonnulls(next_at, sent_at, failed_at) = 1)
);
CREATE INDEX alert_message_due ON alert_message (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX alert_message_by_alert ON alert_message (alert_id);
CREATE INDEX alert_message_by_time ON alert_message (created_at);

-- When each schedule last ended well: the leading worker notes it, at most once a minute.
CREATE TABLE schedule_run (
  name text PRIMARY KEY,
  ended_at timestamptz NOT NULL
);
