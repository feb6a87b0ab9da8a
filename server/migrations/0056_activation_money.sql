-- How much of the card money came by the card that activated the account: it cannot be transferred, and is spent last of all.
ALTER TABLE card_money ADD COLUMN bound_toman bigint NOT NULL DEFAULT 0 CHECK (bound_toman >= 0);
ALTER TABLE card_purchase ADD COLUMN bound_toman bigint NOT NULL DEFAULT 0 CHECK (bound_toman >= 0);
