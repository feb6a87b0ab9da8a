-- A code belongs to the requester that asked for it, and wrong passwords are counted per requester (audit S4), so that a
-- stranger can neither use up nor replace what the owner of an address needs for signing in.
ALTER TABLE email_challenge
  ADD COLUMN requester text NOT NULL DEFAULT 'anonymous',
  -- a session of the account, or a browser that has signed in to it before
  ADD COLUMN requester_known boolean NOT NULL DEFAULT false;
ALTER TABLE failed_login ADD COLUMN bucket text NOT NULL DEFAULT 'stranger';
