-- How devices of operators' networks get through, by way and hour (docs/decisions/0106). No user, no config, no address.
-- What is being counted in the hour that is not over: by server, or from panels (no server). It is deleted when the hour is over.
CREATE TABLE reach_open (
  hour timestamptz NOT NULL,
  -- number of the autonomous system
  network bigint NOT NULL,
  transport text NOT NULL,
  -- 0: the usual one
  port integer NOT NULL,
  node_id uuid,
  attempts bigint NOT NULL,
  through bigint NOT NULL,
  UNIQUE NULLS NOT DISTINCT (hour, network, transport, port, node_id)
);
-- What came together in an hour, of all servers and panels, if it was enough; later in a day.
CREATE TABLE reach_cell (
  network bigint NOT NULL,
  grain text NOT NULL CHECK (grain IN ('hour', 'day')),
  begins timestamptz NOT NULL,
  transport text NOT NULL,
  port integer NOT NULL,
  attempts bigint NOT NULL,
  through bigint NOT NULL CHECK (through <= attempts),
  answers bigint NOT NULL,
  connected bigint NOT NULL CHECK (connected <= answers),
  PRIMARY KEY (network, grain, begins, transport, port)
);
CREATE INDEX reach_cell_by_age ON reach_cell (grain, begins);
