-- What operators did: append-only, each entry chained to the one before by an HMAC whose key is not in the database.
CREATE TABLE audit_entry (
  number bigint PRIMARY KEY CHECK (number > 0),
  at timestamptz NOT NULL,
  actor_kind text NOT NULL CHECK (actor_kind IN ('command-line', 'staff')),
  -- The user's id of staff, the name of the system's user at the command line.
  actor text NOT NULL,
  action text NOT NULL,
  target_kind text,
  target_id text,
  -- Whose account or money it was about.
  user_id uuid,
  operator text,
  reason text,
  details jsonb NOT NULL DEFAULT '{}',
  changed jsonb NOT NULL DEFAULT '{}',
  chain bytea NOT NULL,
  CHECK ((target_kind IS NULL) = (target_id IS NULL))
);

CREATE INDEX audit_entry_target ON audit_entry (target_kind, target_id, number DESC);
CREATE INDEX audit_entry_user ON audit_entry (user_id, number DESC) WHERE user_id IS NOT NULL;

CREATE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER audit_entry_append_only BEFORE DELETE OR UPDATE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON audit_entry
  FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
