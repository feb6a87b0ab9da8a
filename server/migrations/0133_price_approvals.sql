-- Prices and terms of plans wait for a second member, too (decision 135).
ALTER TABLE approval
  DROP CONSTRAINT approval_act_check,
  ADD CONSTRAINT approval_act_check CHECK (act IN ('cards', 'price', 'plan'));
