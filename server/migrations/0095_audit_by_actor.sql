-- The console filters the audit by member and by action, newest first; support sees its own entries only.
CREATE INDEX audit_entry_actor ON audit_entry (actor, number DESC);
CREATE INDEX audit_entry_action ON audit_entry (action, number DESC);
