-- Batches of gift cards that were sold: their cards are a liability until they are redeemed or broken. Batches without a sale
-- stay what all batches were: their redemption is an expense (gift:issued).
INSERT INTO ledger_account (id, kind, code, created_at) VALUES
  -- what shops owe us for cards; negative, as everything that is owed to us
  ('00000000-0000-7000-8000-000000000031', 'house', 'receivable:gift-cards', now()),
  ('00000000-0000-7000-8000-000000000032', 'house', 'liability:gift-cards', now()),
  -- what cards were sold for less what they were worth on the day of their redemption
  ('00000000-0000-7000-8000-000000000033', 'house', 'gift:rate-difference', now()),
  -- what cards were sold for that can no longer be redeemed
  ('00000000-0000-7000-8000-000000000034', 'house', 'revenue:gift-breakage', now());

CREATE TABLE gift_card_sale (
  batch_id uuid PRIMARY KEY REFERENCES gift_card_batch (id),
  buyer text NOT NULL CHECK (buyer <> ''),
  toman bigint NOT NULL CHECK (toman > 0),
  reason text NOT NULL CHECK (reason <> ''),
  operator text NOT NULL CHECK (operator <> ''),
  created_at timestamptz NOT NULL
);

-- What became of a sale's receivable.
CREATE TABLE gift_card_payment (
  id uuid PRIMARY KEY,
  batch_id uuid NOT NULL REFERENCES gift_card_sale (batch_id),
  kind text NOT NULL CHECK (kind IN ('paid', 'written_off')),
  toman bigint NOT NULL CHECK (toman > 0),
  reason text NOT NULL CHECK (reason <> ''),
  operator text NOT NULL CHECK (operator <> ''),
  created_at timestamptz NOT NULL
);
CREATE INDEX gift_card_payment_by_batch ON gift_card_payment (batch_id);

-- A card's part of its batch's price; null: not sold. Broken: void or expired, and booked as such.
ALTER TABLE gift_card ADD COLUMN sold_toman bigint CHECK (sold_toman >= 0);
ALTER TABLE gift_card ADD COLUMN broken_at timestamptz;
ALTER TABLE gift_card ADD CONSTRAINT gift_card_broken
  CHECK (broken_at IS NULL OR (sold_toman IS NOT NULL AND status <> 'redeemed'));
CREATE INDEX gift_card_to_break ON gift_card (expires_at) WHERE status = 'active' AND sold_toman IS NOT NULL AND broken_at IS NULL;
