-- What banks paid out: their settlement files, matched with payments. Lines are kept as facts; everything else follows.

INSERT INTO ledger_account (id, kind, code, created_at) VALUES
  ('00000000-0000-7000-8000-000000000201', 'house', 'bank', now()),
  ('00000000-0000-7000-8000-000000000202', 'house', 'fee', now()),
  ('00000000-0000-7000-8000-000000000203', 'house', 'settlement:difference', now());

-- One row per gateway, locked by whatever settles it: what the files cover, and which of our days were compared with them.
CREATE TABLE settlement_coverage (
  gateway text PRIMARY KEY,
  covered_from date,
  -- inclusive
  covered_to date,
  judged_from timestamptz,
  judged_until timestamptz
);

CREATE TABLE settlement_file (
  id uuid PRIMARY KEY,
  gateway text NOT NULL,
  sha256 bytea NOT NULL,
  name text NOT NULL,
  lines integer NOT NULL,
  new_lines integer NOT NULL,
  covers_from date NOT NULL,
  covers_to date NOT NULL,
  actor text NOT NULL,
  imported_at timestamptz NOT NULL,
  UNIQUE (gateway, sha256),
  CHECK (covers_from <= covers_to)
);

-- One transfer's worth: the lines of a payout that one import matched, or a difference that the operator resolved. How much
-- left clearing, and where it went.
CREATE TABLE settlement_booking (
  id uuid PRIMARY KEY,
  gateway text NOT NULL,
  payout text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('payout', 'resolution')),
  clearing_toman bigint NOT NULL,
  bank_toman bigint NOT NULL,
  fee_toman bigint NOT NULL,
  difference_toman bigint NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT settlement_booking_balances CHECK (clearing_toman = bank_toman + fee_toman + difference_toman)
);
CREATE INDEX settlement_booking_by_payout ON settlement_booking (gateway, payout);

CREATE TABLE settlement_line (
  id uuid PRIMARY KEY,
  gateway text NOT NULL,
  file_id uuid NOT NULL REFERENCES settlement_file (id),
  line_number integer NOT NULL,
  -- SHA-256 of what the line says; with `occurrence` (the how many-th such line of its file) it is the same line in every file
  digest bytea NOT NULL,
  occurrence integer NOT NULL,
  -- why it cannot be read
  unreadable text,
  reference text,
  -- negative: money that went back to a payer
  amount_rial bigint,
  fee_rial bigint,
  -- rounded so that a payout's sum is exact to the toman
  fee_toman bigint,
  payout text NOT NULL,
  day date,
  booking_id uuid REFERENCES settlement_booking (id),
  UNIQUE (gateway, digest, occurrence),
  CONSTRAINT settlement_line_read CHECK ((unreadable IS NULL) = (reference IS NOT NULL AND amount_rial IS NOT NULL
    AND fee_rial IS NOT NULL AND fee_toman IS NOT NULL)),
  CHECK (booking_id IS NULL OR unreadable IS NULL)
);
CREATE INDEX settlement_line_by_file ON settlement_line (file_id);
CREATE INDEX settlement_line_open ON settlement_line (gateway) WHERE booking_id IS NULL;
CREATE INDEX settlement_line_by_booking ON settlement_line (booking_id) WHERE booking_id IS NOT NULL;

-- A payment, refund or reversal that is settled, once for ever. Refunds and reversals have negative amounts.
CREATE TABLE settled_item (
  kind text NOT NULL CHECK (kind IN ('payment', 'refund', 'reversal')),
  item_id uuid NOT NULL,
  gateway text NOT NULL,
  amount_toman bigint NOT NULL CHECK ((kind = 'payment') = (amount_toman > 0) AND amount_toman <> 0),
  booking_id uuid NOT NULL REFERENCES settlement_booking (id),
  -- absent when the operator settled it without one
  line_id uuid REFERENCES settlement_line (id),
  PRIMARY KEY (kind, item_id)
);
CREATE INDEX settled_item_by_booking ON settled_item (booking_id);

-- Where files and books differ. The subject is a line, or a payment, refund or reversal; each is listed once.
CREATE TABLE settlement_difference (
  id uuid PRIMARY KEY,
  gateway text NOT NULL,
  kind text NOT NULL,
  line_id uuid UNIQUE REFERENCES settlement_line (id),
  item_kind text CHECK (item_kind IN ('payment', 'refund', 'reversal')),
  item_id uuid,
  payment_id uuid,
  amount_toman bigint,
  -- solved: by a later file or a later movement in our books; resolved: by an operator
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'solved', 'resolved')),
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  solved_by text,
  reason text,
  operator text,
  actor text,
  booking_id uuid REFERENCES settlement_booking (id),
  UNIQUE (item_kind, item_id),
  CHECK ((line_id IS NULL) = (item_id IS NOT NULL) AND (item_kind IS NULL) = (item_id IS NULL)),
  CHECK ((state = 'open') = (closed_at IS NULL)),
  CHECK ((state = 'solved') = (solved_by IS NOT NULL)),
  CHECK ((state = 'resolved') = (reason IS NOT NULL AND operator IS NOT NULL AND actor IS NOT NULL))
);
CREATE INDEX settlement_difference_open ON settlement_difference (gateway) WHERE state = 'open';

-- Which payments should be in the files of a period.
CREATE INDEX payment_by_credit ON payment (gateway, settled_at) WHERE state = 'completed';
