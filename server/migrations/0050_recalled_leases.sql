-- The money of a lease can be taken back before its node has confirmed the lower limit. Bytes that pass meanwhile are
-- kept until they are paid.
ALTER TABLE meter ADD COLUMN lease_recalled_limit bigint;
ALTER TABLE meter ADD COLUMN unpaid_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE meter ADD CONSTRAINT meter_unpaid_not_negative CHECK (unpaid_bytes >= 0);
