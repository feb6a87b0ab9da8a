-- Invariants of credits of many users; `ledger/invariants.sql` explains the format.

-- name: L45 a correction of a credit order is of one of its users who are done, with the amount and the approval of the order
SELECT c.id FROM wallet_correction c
LEFT JOIN bulk b ON b.id = c.bulk_id LEFT JOIN bulk_item i ON i.bulk_id = c.bulk_id AND i.user_id = c.user_id
WHERE c.bulk_id IS NOT NULL AND (b.act = 'credit' AND i.state = 'done' AND c.kind = 'adjustment' AND c.amount_toman = b.each_toman
  AND c.reason = b.reason AND c.proposal_id IS NOT DISTINCT FROM b.proposal_id) IS NOT TRUE;
-- recent
SELECT c.id FROM wallet_correction c
LEFT JOIN bulk b ON b.id = c.bulk_id LEFT JOIN bulk_item i ON i.bulk_id = c.bulk_id AND i.user_id = c.user_id
WHERE c.bulk_id IS NOT NULL
  AND c.id >= :transfer AND c.id < :end_transfer AND (b.act = 'credit' AND i.state = 'done' AND c.kind = 'adjustment' AND c.amount_toman = b.each_toman
  AND c.reason = b.reason AND c.proposal_id IS NOT DISTINCT FROM b.proposal_id) IS NOT TRUE;

-- name: L45b a credit order has the users and the sum that were approved, and has paid those whom it says, and never more
SELECT b.id FROM bulk b LEFT JOIN correction_proposal p ON p.id = b.proposal_id
CROSS JOIN LATERAL (
  SELECT count(*) AS people, count(*) FILTER (WHERE i.state = 'done') AS done, people_hash(array_agg(i.user_id)) AS hash
  FROM bulk_item i WHERE i.bulk_id = b.id
) list
CROSS JOIN LATERAL (
  SELECT count(*) AS corrections, coalesce(sum(c.amount_toman), 0) AS toman FROM wallet_correction c WHERE c.bulk_id = b.id
) paid
WHERE b.act = 'credit' AND (list.people = b.people AND list.done = b.done AND paid.corrections = b.done AND paid.toman = b.done * b.each_toman
  AND (b.proposal_id IS NULL OR (p.kind = 'bulk' AND p.people = b.people AND p.each_toman = b.each_toman AND p.people_hash = list.hash
    AND (p.state = 'done') = (b.starts_at IS NOT NULL) AND (p.state = 'done' OR paid.corrections = 0)
    AND paid.toman <= p.amount_toman))) IS NOT TRUE
UNION ALL SELECT p.id FROM correction_proposal p
WHERE p.kind = 'bulk' AND NOT EXISTS (SELECT FROM bulk b WHERE b.proposal_id = p.id);
-- recent
SELECT b.id FROM bulk b LEFT JOIN correction_proposal p ON p.id = b.proposal_id
CROSS JOIN LATERAL (
  SELECT count(*) AS people, count(*) FILTER (WHERE i.state = 'done') AS done, people_hash(array_agg(i.user_id)) AS hash
  FROM bulk_item i WHERE i.bulk_id = b.id
) list
CROSS JOIN LATERAL (
  SELECT count(*) AS corrections, coalesce(sum(c.amount_toman), 0) AS toman FROM wallet_correction c WHERE c.bulk_id = b.id
) paid
WHERE b.act = 'credit'
  AND b.id IN (SELECT id FROM bulk WHERE id >= :transfer AND id < :end_transfer
    UNION SELECT bulk_id FROM wallet_correction WHERE id >= :transfer AND id < :end_transfer)
  AND (list.people = b.people AND list.done = b.done AND paid.corrections = b.done AND paid.toman = b.done * b.each_toman
  AND (b.proposal_id IS NULL OR (p.kind = 'bulk' AND p.people = b.people AND p.each_toman = b.each_toman AND p.people_hash = list.hash
    AND (p.state = 'done') = (b.starts_at IS NOT NULL) AND (p.state = 'done' OR paid.corrections = 0)
    AND paid.toman <= p.amount_toman))) IS NOT TRUE
UNION ALL SELECT p.id FROM correction_proposal p
WHERE p.kind = 'bulk'
  AND p.id >= :transfer AND p.id < :end_transfer AND NOT EXISTS (SELECT FROM bulk b WHERE b.proposal_id = p.id);
