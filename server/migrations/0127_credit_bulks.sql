-- The same amount for many users: an order that a second member approves as one sum (decision 133). What was ordered does not change.
ALTER TABLE correction_proposal
  DROP CONSTRAINT correction_proposal_kind_check,
  ADD CONSTRAINT correction_proposal_kind_check CHECK (kind IN ('adjustment', 'debt', 'credit', 'bulk')),
  ALTER COLUMN user_id DROP NOT NULL,
  -- Of a bulk amount_toman is the sum: so much for each of so many users, whose ids have this hash.
  ADD COLUMN each_toman bigint,
  ADD COLUMN people integer,
  ADD COLUMN people_hash text,
  ADD CONSTRAINT correction_proposal_bulk CHECK ((
    CASE WHEN kind = 'bulk'
      THEN user_id IS NULL AND people_hash IS NOT NULL AND each_toman > 0 AND people > 0 AND amount_toman = each_toman * people
      ELSE user_id IS NOT NULL AND each_toman IS NULL AND people IS NULL AND people_hash IS NULL END) IS TRUE);

ALTER TABLE bulk
  DROP CONSTRAINT bulk_act_check,
  ADD CONSTRAINT bulk_act_check CHECK (act IN ('suspend', 'reopen', 'end_sessions', 'credit')),
  DROP CONSTRAINT bulk_state_check,
  ADD CONSTRAINT bulk_state_check CHECK (state IN ('proposed', 'planned', 'running', 'paused', 'stopped', 'cancelled', 'done')),
  -- Null until it is approved.
  ALTER COLUMN starts_at DROP NOT NULL,
  -- Of a credit: what each gets and is told, and of a member's the proposal and until when it can be approved.
  ADD COLUMN each_toman bigint,
  ADD COLUMN message text,
  ADD COLUMN proposal_id uuid UNIQUE REFERENCES correction_proposal (id),
  ADD COLUMN approve_by timestamptz,
  ADD CONSTRAINT bulk_credit CHECK ((
    CASE WHEN act = 'credit'
      THEN each_toman > 0 AND message <> '' AND undoes IS NULL AND (proposal_id IS NOT NULL) = (actor_kind = 'staff')
      ELSE each_toman IS NULL AND message IS NULL AND proposal_id IS NULL END) IS TRUE),
  ADD CONSTRAINT bulk_approval CHECK ((approve_by IS NULL) = (proposal_id IS NULL)),
  ADD CONSTRAINT bulk_begin CHECK (starts_at IS NOT NULL OR (proposal_id IS NOT NULL AND state IN ('proposed', 'cancelled'))),
  ADD CONSTRAINT bulk_proposed CHECK (state <> 'proposed' OR starts_at IS NULL);
CREATE INDEX bulk_proposed_until ON bulk (approve_by) WHERE state = 'proposed';

-- Each user of a proposal or a bulk once: until now a proposal was about one.
ALTER TABLE wallet_correction
  DROP CONSTRAINT wallet_correction_proposal_id_key,
  ADD COLUMN bulk_id uuid REFERENCES bulk (id);
CREATE UNIQUE INDEX wallet_correction_of_proposal ON wallet_correction (proposal_id, user_id) WHERE proposal_id IS NOT NULL;
CREATE UNIQUE INDEX wallet_correction_of_bulk ON wallet_correction (bulk_id, user_id) WHERE bulk_id IS NOT NULL;

-- SHA-256 of the ids in order.
CREATE FUNCTION people_hash(ids uuid[]) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(string_agg(id::text, ',' ORDER BY id), 'UTF8')), 'hex') FROM unnest(ids) AS given (id)
$$;

CREATE FUNCTION order_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% does not change what was ordered', TG_TABLE_NAME;
END $$;
CREATE TRIGGER proposal_stays BEFORE UPDATE OF user_id, kind, amount_toman, reason, proposed_by, proposed_at, payment_id, reference,
  same_reference, each_toman, people, people_hash OR DELETE ON correction_proposal FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
CREATE TRIGGER bulk_stays BEFORE UPDATE OF act, reason, filter, actor_kind, actor, ordered_at, people, undoes, each_toman, message,
  proposal_id, approve_by OR DELETE ON bulk FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
CREATE TRIGGER bulk_item_stays BEFORE UPDATE OF bulk_id, user_id OR DELETE ON bulk_item FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
