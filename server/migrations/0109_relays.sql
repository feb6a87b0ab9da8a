-- Entry relays: machines that forward a node's ports to it and nothing else (docs/decisions/0109). They hold no key and run no agent.
CREATE TABLE relay (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE,
  node_id uuid NOT NULL REFERENCES node (id),
  -- Where devices reach the relay, and to where it forwards them, by family.
  address4 text UNIQUE,
  address6 text UNIQUE,
  exit4 text,
  exit6 text,
  created_at timestamptz NOT NULL,
  -- Measured by its node, which sends itself something through it: when it last tried, and when that last came back.
  tried_at timestamptz,
  heard4_at timestamptz,
  heard6_at timestamptz,
  round_trip_ms real,
  CONSTRAINT relay_has_an_address CHECK (num_nonnulls(address4, address6) > 0),
  CONSTRAINT relay_has_an_exit CHECK ((address4 IS NULL) = (exit4 IS NULL) AND (address6 IS NULL) = (exit6 IS NULL))
);
CREATE INDEX relay_by_node ON relay (node_id);
