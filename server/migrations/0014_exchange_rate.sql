-- The dollar rate: what the operator set, and every reading of the market with what each source said.
CREATE TABLE exchange_rate (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('operator', 'market')),
  -- held: a jump that has to last before it counts; none: too few sources agreed
  state text NOT NULL CHECK (state IN ('accepted', 'held', 'none')),
  toman_per_usd bigint CHECK (toman_per_usd > 0),
  sources jsonb NOT NULL,
  taken_at timestamptz NOT NULL,
  -- of the operator's rates only; null: until it is cleared
  valid_until timestamptz,
  CHECK ((state = 'none') = (toman_per_usd IS NULL)),
  CHECK (kind = 'operator' OR valid_until IS NULL)
);
CREATE INDEX exchange_rate_by_time ON exchange_rate (kind, taken_at DESC);

-- Whose turn it is to read the market: one row, taken by a conditional update.
CREATE TABLE exchange_rate_turn (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  taken_at timestamptz NOT NULL
);
INSERT INTO exchange_rate_turn (taken_at) VALUES ('-infinity');
