-- Proofs of the ledger: their results, for every process, and what they find new rows by (docs/decisions/0071).

CREATE TABLE ledger_proof (
  -- 'new': the proof of every minute; 'whole': the round over all months; otherwise a Jalali month, as 1405-08.
  part text PRIMARY KEY CHECK (part IN ('new', 'whole') OR part ~ '^1[34]\d\d-(0[1-9]|1[0-2])$'),
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL CHECK (ended_at >= started_at),
  -- The last time that nothing was violated; what was written before it needs no new proof. NULL: never yet.
  proved_at timestamptz,
  -- Codes of the invariants that did not hold.
  violated text[] NOT NULL
);

-- The id that a text is, or nothing: sources of transfers are texts.
CREATE FUNCTION uuid_of(source text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN CASE WHEN source ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN source::uuid END;

-- What changed in a time, for proofs of what is new. Each changes once or twice in the life of its row.
CREATE INDEX payment_settled ON payment (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX refund_settled ON refund (settled_at) WHERE settled_at IS NOT NULL;
CREATE INDEX gift_card_redeemed ON gift_card (redeemed_at) WHERE redeemed_at IS NOT NULL;
CREATE INDEX gift_card_broken_by_time ON gift_card (broken_at) WHERE broken_at IS NOT NULL;
CREATE INDEX gift_card_sale_by_time ON gift_card_sale (created_at);
CREATE INDEX gift_card_payment_by_time ON gift_card_payment (created_at);
CREATE INDEX subscription_ended ON subscription (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX subscription_begun ON subscription (first_given_at) WHERE first_given_at IS NOT NULL;
-- Always empty: the rows that break an invariant.
CREATE INDEX gift_card_void_owed ON gift_card (id) WHERE status = 'void' AND sold_toman IS NOT NULL AND broken_at IS NULL;
