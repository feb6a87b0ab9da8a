-- One row per config: what has passed, what is billed, how far it may go. Byte totals of the current epoch are
-- high-water marks; earlier epochs rest in meter_epoch.
CREATE TABLE meter (
  config_id uuid PRIMARY KEY REFERENCES config (id),
  user_id uuid NOT NULL,
  node_id uuid NOT NULL,
  -- the node's generation at the last change of what it is wanted to do for this config
  generation bigint NOT NULL,
  epoch text,
  epoch_up bigint NOT NULL DEFAULT 0,
  epoch_down bigint NOT NULL DEFAULT 0,
  total_up bigint NOT NULL DEFAULT 0,
  total_down bigint NOT NULL DEFAULT 0,
  -- U: bytes paid for or free of charge; never beyond the lease
  billed_bytes bigint NOT NULL DEFAULT 0,
  -- bytes reported beyond the lease: never charged, always an alarm
  unbilled_bytes bigint NOT NULL DEFAULT 0,
  -- the lease: L on the scale of billed_bytes; money for L − U is reserved
  lease_version integer NOT NULL DEFAULT 0,
  lease_limit_bytes bigint NOT NULL DEFAULT 0,
  -- a lower limit that the node has not confirmed yet
  lease_shrink_to bigint,
  -- bytes of the last grant, by which the refill threshold is measured
  lease_grant_bytes bigint NOT NULL DEFAULT 0,
  -- the price segment in which the lease ends: price from segment_start on
  segment_start bigint NOT NULL DEFAULT 0,
  segment_price bigint NOT NULL DEFAULT 0,
  -- running hour, moved to usage_hour when the hour is over
  hour_start timestamptz,
  hour_up bigint NOT NULL DEFAULT 0,
  hour_down bigint NOT NULL DEFAULT 0,
  hour_charged bigint NOT NULL DEFAULT 0,
  -- the hour before it, until it is moved to usage_hour in the same transaction
  past_hour timestamptz,
  past_up bigint NOT NULL DEFAULT 0,
  past_down bigint NOT NULL DEFAULT 0,
  past_charged bigint NOT NULL DEFAULT 0,
  -- what the last reading did: bytes that were new, toman that they cost
  last_delta bigint NOT NULL DEFAULT 0,
  last_charge bigint NOT NULL DEFAULT 0,
  -- bits per second between the last two readings
  rate_up bigint NOT NULL DEFAULT 0,
  rate_down bigint NOT NULL DEFAULT 0,
  sampled_at timestamptz,
  last_used_at timestamptz,
  -- the node has read a last time; nothing more can come
  final boolean NOT NULL DEFAULT false,
  CHECK (epoch_up >= 0 AND epoch_down >= 0),
  CHECK (billed_bytes <= lease_limit_bytes)
) WITH (fillfactor = 60);
CREATE INDEX meter_by_user ON meter (user_id);
CREATE INDEX meter_changes ON meter (node_id, generation);

CREATE TABLE meter_epoch (
  config_id uuid NOT NULL REFERENCES config (id),
  epoch text NOT NULL,
  up bigint NOT NULL,
  down bigint NOT NULL,
  PRIMARY KEY (config_id, epoch)
);

-- Price segments that are over: [start_byte, end_byte) at a price in thousandths of a toman per 10⁹ bytes.
CREATE TABLE price_segment (
  config_id uuid NOT NULL REFERENCES config (id),
  start_byte bigint NOT NULL,
  end_byte bigint NOT NULL,
  price bigint NOT NULL,
  PRIMARY KEY (config_id, start_byte),
  CHECK (end_byte > start_byte)
);

CREATE TABLE usage_hour (
  config_id uuid NOT NULL REFERENCES config (id),
  hour timestamptz NOT NULL,
  up bigint NOT NULL,
  down bigint NOT NULL,
  charged_toman bigint NOT NULL,
  PRIMARY KEY (config_id, hour)
);

-- Tunnels as the node sees them. No client address, ever.
CREATE TABLE tunnel (
  config_id uuid PRIMARY KEY REFERENCES config (id),
  connected_since timestamptz,
  last_handshake_at timestamptz NOT NULL,
  ping_ms real
) WITH (fillfactor = 60);

-- F(b) = floor(bytes × price / 10^12) without leaving 64 bits: exact for bytes below 2^53 and prices up to 10^9
-- thousandths of a toman per GB, because nested floors of nested divisors are the floor of the whole.
CREATE FUNCTION charge_toman(bytes bigint, price bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((bytes / 1000000) * price + (bytes % 1000000) * price / 1000000) / 1000000;

-- The part of [from_byte, to_byte) that lies in segments which are over.
CREATE FUNCTION charge_closed_segments(config uuid, from_byte bigint, to_byte bigint) RETURNS bigint LANGUAGE sql STABLE
RETURN (
  SELECT coalesce(sum(
    charge_toman(least(s.end_byte, to_byte) - s.start_byte, s.price)
    - charge_toman(greatest(least(s.end_byte, from_byte) - s.start_byte, 0), s.price)), 0)::bigint
  FROM price_segment s WHERE s.config_id = config AND s.end_byte > from_byte AND s.start_byte < to_byte
);
