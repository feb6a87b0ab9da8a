-- How gateways do: calls per minute. One row per gateway and minute, forgotten after an hour.
CREATE TABLE gateway_minute (
  gateway text NOT NULL,
  minute timestamptz NOT NULL,
  calls integer NOT NULL,
  -- calls that nobody answered, or with something unreadable
  unanswered integer NOT NULL,
  total_ms bigint NOT NULL,
  PRIMARY KEY (gateway, minute)
);

-- A payment that was given up may be paid all the same: it is asked about until the last check.
DROP INDEX payment_to_check;
CREATE INDEX payment_to_check ON payment (next_check_at) WHERE next_check_at IS NOT NULL;

-- The test banks of all three gateways.
ALTER TABLE bank_simulator_session
  ADD COLUMN order_id text NOT NULL DEFAULT '',
  ADD COLUMN paid_at timestamptz,
  ADD COLUMN refunded_rial bigint NOT NULL DEFAULT 0;
