-- What schedules look for, by an index, so that a sweep costs what it finds (docs/decisions/0072).

CREATE INDEX idempotent_request_by_age ON idempotent_request (created_at);
CREATE INDEX pending_sign_in_by_age ON pending_sign_in (expires_at);
CREATE INDEX email_change_request_by_age ON email_change_request (at);
CREATE INDEX failed_redemption_by_age ON failed_redemption (at);
CREATE INDEX unknown_recipient_by_age ON unknown_recipient (at);
CREATE INDEX store_webhook_by_age ON store_webhook (received_at);
CREATE INDEX gift_card_redirect_unpaid ON gift_card_redirect (created_at) WHERE paid_at IS NULL;
CREATE INDEX gift_card_redirect_coded ON gift_card_redirect (paid_at) WHERE code_sealed IS NOT NULL;
CREATE INDEX blocked_query_day_by_age ON blocked_query_day (day);
CREATE INDEX connection_open_by_start ON connection (started_at) WHERE ended_at IS NULL;
-- Of the kinds that stay as empty rows, those that are not empty yet; of all others, every row.
CREATE INDEX notification_by_age ON notification (created_at)
  WHERE kind <> ALL ('{welcome,account_activated,config_live,service_cut,service_restored}'::text[]) OR data <> '{}' OR deleted_at IS NULL;

-- What passed through a node in a calendar month (UTC), counted with each report; a provider's cap is about that.
CREATE TABLE node_month (
  node_id uuid NOT NULL REFERENCES node (id),
  month date NOT NULL,
  bytes bigint NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (node_id, month)
) WITH (fillfactor = 50);

INSERT INTO node_month (node_id, month, bytes)
  SELECT node_id, month, sum(bytes) FROM (
    SELECT m.node_id, date_trunc('month', h.hour, 'UTC')::date AS month, h.up + h.down AS bytes
    FROM usage_hour h JOIN meter m ON m.config_id = h.config_id WHERE h.hour >= date_trunc('month', now(), 'UTC')
    UNION ALL
    SELECT node_id, date_trunc('month', hour_start, 'UTC')::date, hour_up + hour_down FROM meter
    WHERE hour_start >= date_trunc('month', now(), 'UTC')
  ) passed GROUP BY 1, 2;

-- How far a sweep over all meters has come. A meter changes with every report, so what it looks for cannot be indexed without
-- making each report dearer; a sweep reads some meters each time instead, in turns.
CREATE TABLE meter_sweep (
  name text PRIMARY KEY,
  -- NULL: the next turn begins at the first meter.
  after_id uuid
);
