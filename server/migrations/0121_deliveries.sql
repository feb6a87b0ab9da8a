-- What became of each mail and text message (decision 121): one row per job, written by the worker that tries it. Neither the
-- address nor anything of the content; why it failed is a class and the number of the answer.
CREATE TABLE delivery (
  -- The job's id.
  id uuid PRIMARY KEY,
  -- Null: of an address without an account, or of one that was erased.
  user_id uuid REFERENCES users (id),
  channel text NOT NULL,
  kind text NOT NULL,
  -- The notification that it says; null for all others. No reference, because notifications are deleted at another age.
  notification_id uuid,
  state text NOT NULL,
  attempts smallint NOT NULL,
  reason text,
  -- The number in the answer of the mail server or provider.
  code smallint,
  first_at timestamptz NOT NULL,
  at timestamptz NOT NULL,
  CONSTRAINT delivery_channel_known CHECK (channel IN ('mail', 'sms')),
  CONSTRAINT delivery_kind_form CHECK (kind ~ '^[a-z_]{1,40}$'),
  CONSTRAINT delivery_state_known CHECK (state IN ('waiting', 'sent', 'uncertain', 'failed', 'given_up')),
  CONSTRAINT delivery_reason_form CHECK (reason ~ '^[a-z_]{1,40}$'),
  CONSTRAINT delivery_reason_given CHECK ((state = 'sent') = (reason IS NULL)),
  CONSTRAINT delivery_attempts_positive CHECK (attempts > 0)
);

CREATE INDEX delivery_of_user ON delivery (user_id, first_at, id) WHERE user_id IS NOT NULL;
-- The list of what did not arrive.
CREATE INDEX delivery_unsent ON delivery (first_at, id) WHERE state <> 'sent';
CREATE INDEX delivery_by_age ON delivery (at);
