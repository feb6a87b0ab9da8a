-- What waits for the operator is counted whenever somebody looks at the metrics.

-- step: alone
DROP INDEX CONCURRENTLY IF EXISTS payment_to_review;
CREATE INDEX CONCURRENTLY payment_to_review ON payment (id) WHERE state = 'needs_review';
DROP INDEX CONCURRENTLY IF EXISTS refund_open;
CREATE INDEX CONCURRENTLY refund_open ON refund (id) WHERE state IN ('requested', 'sent', 'unknown');
