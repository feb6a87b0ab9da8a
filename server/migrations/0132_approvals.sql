-- What one member may only propose, and a second one decides (decision 134). What is done is what is stored here.
CREATE TABLE approval (
  id uuid PRIMARY KEY,
  act text NOT NULL CHECK (act IN ('cards')),
  -- All that the act needs.
  payload jsonb NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  proposed_by uuid NOT NULL REFERENCES users (id),
  proposed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL CHECK (expires_at > proposed_at),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'declined', 'withdrawn')),
  -- A member, or a user of the machine at the command line.
  decided_by uuid REFERENCES users (id),
  machine_user text,
  decided_at timestamptz,
  -- Nobody else could decide, so the proposer did.
  alone boolean NOT NULL DEFAULT false,
  CONSTRAINT approval_decided CHECK (
    (state = 'open') = (decided_at IS NULL) AND num_nonnulls(decided_by, machine_user) = CASE WHEN state = 'open' THEN 0 ELSE 1 END),
  CONSTRAINT approval_two_members CHECK (state <> 'done' OR decided_by IS NULL OR alone = (decided_by = proposed_by))
);
CREATE INDEX approval_open ON approval (proposed_at, id) WHERE state = 'open';
CREATE INDEX approval_by_time ON approval (proposed_at DESC, id DESC);
CREATE TRIGGER approval_stays BEFORE UPDATE OF id, act, payload, reason, proposed_by, proposed_at, expires_at OR DELETE
  ON approval FOR EACH ROW EXECUTE FUNCTION order_refuse_change();

-- Of a batch that a member issued: what it is worth and the limit of its time, or the approval. The machine needs neither.
ALTER TABLE gift_card_batch
  ADD COLUMN alone_usd_cents bigint CHECK (alone_usd_cents > 0),
  ADD COLUMN limit_usd_cents bigint CHECK (limit_usd_cents >= 0),
  ADD COLUMN approval_id uuid UNIQUE REFERENCES approval (id),
  ADD CONSTRAINT gift_card_batch_allowed CHECK (
    (alone_usd_cents IS NULL) = (limit_usd_cents IS NULL) AND num_nonnulls(alone_usd_cents, approval_id) <= 1);
CREATE INDEX gift_card_batch_alone ON gift_card_batch (created_at) WHERE alone_usd_cents IS NOT NULL;
CREATE TRIGGER gift_card_batch_stays BEFORE UPDATE OF alone_usd_cents, limit_usd_cents, approval_id
  ON gift_card_batch FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
