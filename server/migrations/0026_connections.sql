-- What a node measures and where it speaks from. Its own address, never a client's.
ALTER TABLE node_presence
  -- median round trip to the devices that were connected at its last report with any, in milliseconds
  ADD COLUMN ping_ms real,
  ADD COLUMN pinged_at timestamptz,
  -- when it last asked for its wanted state
  ADD COLUMN asked_at timestamptz,
  -- the public addresses from which it came last: those that the internet sees of the devices behind it
  ADD COLUMN exit_ipv4 text,
  ADD COLUMN exit_ipv6 text;

-- When a device was connected on a config, and what passed meanwhile. No client address, ever. Written only when a tunnel
-- comes up or goes down. Bytes are the meter's total then: what passes between two connections belongs to the later one.
CREATE TABLE connection (
  config_id uuid NOT NULL REFERENCES config (id),
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  start_bytes bigint NOT NULL,
  end_bytes bigint,
  PRIMARY KEY (config_id, started_at),
  CHECK ((ended_at IS NULL) = (end_bytes IS NULL)),
  CHECK (ended_at >= started_at),
  CHECK (end_bytes >= start_bytes)
);
CREATE UNIQUE INDEX connection_open ON connection (config_id) WHERE ended_at IS NULL;
CREATE INDEX connection_over ON connection (ended_at);

-- What was connected before there was a history begins it with what had passed until now.
INSERT INTO connection (config_id, started_at, start_bytes)
  SELECT t.config_id, t.connected_since, m.total_up + m.total_down
  FROM tunnel t JOIN meter m ON m.config_id = t.config_id WHERE t.connected_since IS NOT NULL;
INSERT INTO connection (config_id, started_at, ended_at, start_bytes, end_bytes)
  SELECT t.config_id, t.last_handshake_at, t.last_handshake_at, m.total_up + m.total_down, m.total_up + m.total_down
  FROM tunnel t JOIN meter m ON m.config_id = t.config_id WHERE t.connected_since IS NULL;
