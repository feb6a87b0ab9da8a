CREATE TABLE node (
  id uuid PRIMARY KEY,
  name text NOT NULL UNIQUE,
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  city text NOT NULL,
  -- host name or address that clients dial; learned at enrolment when the operator gives none
  address text,
  wireguard_port integer NOT NULL,
  status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive', 'revoked')),
  -- rises with every change of the node's wanted state
  generation bigint NOT NULL DEFAULT 0,
  -- rises with every enrolment; an older agent is refused
  registration integer NOT NULL DEFAULT 0,
  signing_key text,
  wireguard_public_key text,
  next_slot integer NOT NULL DEFAULT 2,
  address_limit integer NOT NULL,
  epoch text,
  created_at timestamptz NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE node_enrolment (
  token_hash bytea PRIMARY KEY,
  node_id uuid NOT NULL REFERENCES node (id),
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);

-- What the node last said of itself; apart from `node` so that presence never waits for a change of state.
CREATE TABLE node_presence (
  node_id uuid PRIMARY KEY REFERENCES node (id),
  seen_at timestamptz NOT NULL,
  applied_generation bigint NOT NULL DEFAULT 0,
  load real NOT NULL DEFAULT 0,
  tunnels_up boolean NOT NULL DEFAULT false,
  agent_version text NOT NULL DEFAULT '',
  unmetered_upper_bound_bytes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Every epoch a node has spoken in, with the last report accepted in it.
CREATE TABLE node_epoch (
  node_id uuid NOT NULL REFERENCES node (id),
  epoch text NOT NULL,
  last_seq bigint NOT NULL,
  last_hash text NOT NULL,
  PRIMARY KEY (node_id, epoch)
) WITH (fillfactor = 50);

-- A slot rests before it serves again: the kernel of its node still remembers connections of the config that had it.
CREATE TABLE free_slot (
  node_id uuid NOT NULL REFERENCES node (id),
  slot integer NOT NULL,
  freed_at timestamptz NOT NULL,
  PRIMARY KEY (node_id, slot)
);

-- One device's access to one server over one protocol.
CREATE TABLE config (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  node_id uuid NOT NULL REFERENCES node (id),
  name text NOT NULL,
  protocol text NOT NULL,
  public_key text NOT NULL,
  preshared_key_sealed text NOT NULL,
  -- null: the private key is only on the device
  private_key_sealed text,
  slot integer NOT NULL,
  -- true: disconnected from the panel, the node refuses it
  blocked boolean NOT NULL DEFAULT false,
  -- when the person last pressed connect; null after disconnect
  connect_requested_at timestamptz,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  -- the node has confirmed the removal with a last reading
  removed_at timestamptz
);
CREATE UNIQUE INDEX config_slot ON config (node_id, slot) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX config_key ON config (public_key) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX config_name ON config (user_id, name) WHERE deleted_at IS NULL;
CREATE INDEX config_by_user ON config (user_id, created_at DESC) WHERE deleted_at IS NULL;
