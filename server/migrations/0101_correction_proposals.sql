-- Corrections at the console: beyond a limit a second member decides, or the only one after a delay (decision 98).
CREATE TABLE correction_proposal (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  kind text NOT NULL CHECK (kind IN ('adjustment', 'debt')),
  -- Of a debt: what was owed when it was proposed.
  amount_toman bigint NOT NULL CHECK (amount_toman <> 0),
  reason text NOT NULL CHECK (reason <> ''),
  proposed_by uuid NOT NULL REFERENCES users (id),
  proposed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL CHECK (expires_at > proposed_at),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'declined', 'withdrawn')),
  decided_by uuid REFERENCES users (id),
  decided_at timestamptz,
  -- Nobody else could decide, so the proposer did, after the delay.
  alone boolean NOT NULL DEFAULT false,
  CONSTRAINT correction_proposal_decided CHECK ((state = 'open') = (decided_by IS NULL) AND (state = 'open') = (decided_at IS NULL)),
  CONSTRAINT correction_proposal_two_members CHECK (state <> 'done' OR alone = (decided_by = proposed_by))
);
CREATE INDEX correction_proposal_open ON correction_proposal (proposed_at, id) WHERE state = 'open';
CREATE INDEX correction_proposal_by_time ON correction_proposal (proposed_at DESC, id DESC);
CREATE INDEX correction_proposal_by_user ON correction_proposal (user_id);

-- Of a correction by a member: who, the limit of its time, and the proposal that allowed more.
ALTER TABLE wallet_correction
  ADD COLUMN staff_id uuid REFERENCES users (id),
  ADD COLUMN limit_toman bigint CHECK (limit_toman >= 0),
  ADD COLUMN proposal_id uuid UNIQUE REFERENCES correction_proposal (id),
  ADD CONSTRAINT wallet_correction_by_staff CHECK ((limit_toman IS NULL) = (staff_id IS NULL) AND (proposal_id IS NULL OR staff_id IS NOT NULL));
