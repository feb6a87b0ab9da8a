-- How many of each version of a plan were sold, run and were cancelled, and what they brought (decision 125). What changes that writes rows
-- of its own, so that sales do not wait for each other; a schedule adds up those whose moment has come.
-- step
CREATE TABLE plan_sum (
  plan_id text NOT NULL REFERENCES plan (id),
  -- Null: bought before versions were kept, or from a server of the release before them.
  version_id uuid REFERENCES plan_version (id),
  sold bigint NOT NULL,
  running bigint NOT NULL,
  cancelled bigint NOT NULL,
  paid_toman bigint NOT NULL,
  credited_toman bigint NOT NULL,
  CONSTRAINT plan_sum_one_row UNIQUE NULLS NOT DISTINCT (plan_id, version_id)
);

-- What a subscription adds from a moment on. Its end is known when it is sold, so it is a row whose moment is still to come.
CREATE TABLE plan_sum_change (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL,
  -- No references: what cancels a subscription does not wait for a change of its plan.
  plan_id text NOT NULL,
  version_id uuid,
  sold bigint NOT NULL,
  running bigint NOT NULL,
  cancelled bigint NOT NULL,
  paid_toman bigint NOT NULL,
  credited_toman bigint NOT NULL
);
CREATE INDEX plan_sum_change_due ON plan_sum_change (at);

CREATE FUNCTION plan_sum_part(s subscription)
  RETURNS TABLE (at timestamptz, sold bigint, running bigint, cancelled bigint, paid_toman bigint, credited_toman bigint)
  LANGUAGE sql IMMUTABLE AS $$
  SELECT s.created_at, 1::bigint, 0::bigint, 0::bigint, s.price_toman, 0::bigint
  UNION ALL
  SELECT s.ended_at, 0, 0, (s.end_reason = 'cancelled')::integer, 0, s.credited_toman WHERE s.ended_at IS NOT NULL
  UNION ALL
  -- One that ended before its start never ran.
  SELECT span.at, 0, span.running, 0, 0, 0
  FROM (VALUES (s.starts_at, 1), (least(s.ended_at, s.ends_at), -1)) AS span (at, running)
  WHERE s.ended_at IS NULL OR s.ended_at > s.starts_at
$$;

-- What was said before is taken back at its own moment, what is true now is added at its own.
CREATE FUNCTION plan_sum_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  before subscription;
BEGIN
  IF TG_OP = 'UPDATE' THEN before := OLD; END IF;
  INSERT INTO plan_sum_change (at, plan_id, version_id, sold, running, cancelled, paid_toman, credited_toman)
  SELECT p.at, NEW.plan_id, NEW.version_id, sum(p.sign * p.sold), sum(p.sign * p.running), sum(p.sign * p.cancelled),
    sum(p.sign * p.paid_toman), sum(p.sign * p.credited_toman)
  FROM (
    SELECT 1 AS sign, n.* FROM plan_sum_part(NEW) n
    UNION ALL SELECT -1, o.* FROM plan_sum_part(before) o WHERE TG_OP = 'UPDATE'
  ) p
  GROUP BY p.at
  HAVING (sum(p.sign * p.sold), sum(p.sign * p.running), sum(p.sign * p.cancelled), sum(p.sign * p.paid_toman), sum(p.sign * p.credited_toman))
    <> (0, 0, 0, 0, 0)
  ORDER BY p.at;
  RETURN NULL;
END $$;
CREATE TRIGGER subscription_summed AFTER INSERT OR UPDATE OF starts_at, ends_at, ended_at, end_reason, credited_toman ON subscription
  FOR EACH ROW EXECUTE FUNCTION plan_sum_follow();

-- What was sold before. One statement reads one state of both tables, and nobody adds changes up before this release: what the trigger has
-- written by then is part of what is counted here, and is taken off. Of the past one row for each version.
-- step
INSERT INTO plan_sum_change (at, plan_id, version_id, sold, running, cancelled, paid_toman, credited_toman)
SELECT max(c.at), c.plan_id, c.version_id, sum(c.sold), sum(c.running), sum(c.cancelled), sum(c.paid_toman), sum(c.credited_toman)
FROM (
  SELECT s.plan_id, s.version_id, p.* FROM subscription s CROSS JOIN LATERAL plan_sum_part(s) p
  UNION ALL
  SELECT plan_id, version_id, at, -sold, -running, -cancelled, -paid_toman, -credited_toman FROM plan_sum_change
) c
GROUP BY c.plan_id, c.version_id, CASE WHEN c.at > now() THEN c.at END
HAVING (sum(c.sold), sum(c.running), sum(c.cancelled), sum(c.paid_toman), sum(c.credited_toman)) <> (0, 0, 0, 0, 0)
ORDER BY 1;
