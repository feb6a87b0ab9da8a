-- An attempt with a password waits its turn for the address, reads the failures that still count, and is counted unless there are as
-- many as allowed. One call instead of a transaction of five: each statement in a function that is not STABLE sees what was
-- committed before it began, so an attempt sees those before it.
CREATE FUNCTION failed_login_attempt(address text, requester text, since timestamptz, until timestamptz, allowed integer, attempted timestamptz)
RETURNS timestamptz[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  earlier timestamptz[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('email:' || address, 0));
  SELECT coalesce(array_agg(f.at), '{}') INTO earlier FROM failed_login f
    WHERE f.email = address AND f.bucket = requester AND f.at > since AND f.at <= until;
  IF cardinality(earlier) < allowed THEN
    INSERT INTO failed_login (email, bucket, at) VALUES (address, requester, attempted);
  END IF;
  RETURN earlier;
END $$;
