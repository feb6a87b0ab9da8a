-- Codes are allowed per mailbox, whatever the spelling of its address, and the wrong codes of unknown browsers are summed
-- for the whole site.
ALTER TABLE email_challenge ADD COLUMN canonical_email text NOT NULL DEFAULT '';
UPDATE email_challenge SET canonical_email = email;
CREATE INDEX email_challenge_by_mailbox ON email_challenge (canonical_email, created_at DESC);
CREATE INDEX email_challenge_wrong ON email_challenge (created_at) WHERE attempts > 0 AND NOT requester_known AND used_at IS NULL;
