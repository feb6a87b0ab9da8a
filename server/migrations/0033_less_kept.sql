-- What was told once had the address in clear as its cause, and was kept for as long as the account.
UPDATE notification SET cause = created_at::text WHERE kind = 'address_verified';

-- Statements and erasing reach deleted configs too; the other indexes of a person know live ones only.
CREATE INDEX config_ever_of_user ON config (user_id);
