-- Who took an entry out of names and new files, and why (decision 131).
ALTER TABLE entry_block
  -- The rule of decision 132 did it, and nobody by hand.
  ADD COLUMN by_rule boolean NOT NULL DEFAULT false,
  -- Null: the command line, or the rule.
  ADD COLUMN blocked_by uuid REFERENCES staff_member (user_id),
  ADD COLUMN reason text;
