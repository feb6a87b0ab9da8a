-- The console lists payments by state and gateway, newest first: ids begin with their instant.
CREATE INDEX payment_by_state ON payment (gateway, state, id);

-- What waits for the operator: few rows, counted whenever the console is open.
CREATE INDEX payment_waiting ON payment (id)
  WHERE state = 'needs_review' OR (state IN ('created', 'redirected') AND gateway_reference IS NOT NULL AND next_check_at IS NULL);
