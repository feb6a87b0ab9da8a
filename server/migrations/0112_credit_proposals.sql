-- A payment that is credited by hand and is beyond the limit of one member waits for a second one (decision 111).
ALTER TABLE correction_proposal
  DROP CONSTRAINT correction_proposal_kind_check,
  ADD CONSTRAINT correction_proposal_kind_check CHECK (kind IN ('adjustment', 'debt', 'credit')),
  -- Of a credit: the payment, the bank's reference, and whether the bank gave it twice.
  ADD COLUMN payment_id uuid REFERENCES payment (id),
  ADD COLUMN reference text,
  ADD COLUMN same_reference boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT correction_proposal_credit CHECK ((kind = 'credit') = (payment_id IS NOT NULL) AND (kind = 'credit') = (reference IS NOT NULL));
CREATE INDEX correction_proposal_by_payment ON correction_proposal (payment_id) WHERE payment_id IS NOT NULL;
