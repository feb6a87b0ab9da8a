-- The console lists payments by state and gateway, newest first: ids begin with their instant. What waits for the operator are few
-- rows, counted whenever the console is open.
-- step: alone
DROP INDEX CONCURRENTLY IF EXISTS payment_by_state;
CREATE INDEX CONCURRENTLY payment_by_state ON payment (gateway, state, id);
DROP INDEX CONCURRENTLY IF EXISTS payment_waiting;
CREATE INDEX CONCURRENTLY payment_waiting ON payment (id)
  WHERE state = 'needs_review' OR (state IN ('created', 'redirected') AND gateway_reference IS NOT NULL AND next_check_at IS NULL)
