-- Codes of a batch wait here, sealed under the master key, until they are exported once.
ALTER TABLE gift_card_batch ADD COLUMN codes_sealed text;
ALTER TABLE gift_card_batch ADD COLUMN exported_at timestamptz;
ALTER TABLE gift_card ADD COLUMN voided_at timestamptz;
ALTER TABLE gift_card ADD CONSTRAINT gift_card_void CHECK ((status = 'void') = (voided_at IS NOT NULL));
CREATE INDEX gift_card_by_batch ON gift_card (batch_id);
