-- When a member of staff sent it again: a notification has no limit of its own user's requests, so these are counted (decision 121).
ALTER TABLE delivery ADD COLUMN resent_at timestamptz[] NOT NULL DEFAULT '{}';

-- State and channel as well: the list filters by them without looking at rows.
DROP INDEX delivery_unsent;
CREATE INDEX delivery_unsent ON delivery (first_at, id, state, channel) WHERE state <> 'sent';
