-- Sums of a config's hours of usage by day and by month, so that three years of hours cost a statement, a wallet and a proof no more
-- than their days and months (docs/decisions/0076).

-- step
CREATE TABLE usage_sum (
  config_id uuid NOT NULL,
  grain text NOT NULL CHECK (grain IN ('day', 'month')),
  -- A day of Tehran, or the first of its month.
  begins date NOT NULL,
  user_id uuid NOT NULL,
  up bigint NOT NULL,
  down bigint NOT NULL,
  charged_toman bigint NOT NULL,
  last_charged_hour timestamptz,
  -- Of a month: the days with usage, and those that cost something, the first day as bit 0.
  days integer NOT NULL DEFAULT 0,
  charged_days integer NOT NULL DEFAULT 0,
  PRIMARY KEY (config_id, grain, begins)
) WITH (fillfactor = 80);
CREATE INDEX usage_sum_by_user ON usage_sum (user_id, grain, begins);

-- What hours add to the sums. Hours are never deleted, and what is added to one is never taken back.
CREATE FUNCTION usage_sum_part(hours usage_hour[]) RETURNS SETOF usage_sum LANGUAGE sql STABLE AS $$
  SELECT h.config_id, g.grain, g.begins, m.user_id, sum(h.up)::bigint, sum(h.down)::bigint, sum(h.charged_toman)::bigint,
    max(h.hour) FILTER (WHERE h.charged_toman > 0),
    CASE g.grain WHEN 'month' THEN bit_or(CASE WHEN h.up + h.down > 0 THEN h.bit ELSE 0 END) ELSE 0 END,
    CASE g.grain WHEN 'month' THEN bit_or(CASE WHEN h.charged_toman > 0 THEN h.bit ELSE 0 END) ELSE 0 END
  FROM (
    SELECT u.*, d.day, 1 << (extract(day FROM d.day)::integer - 1) AS bit
    FROM unnest(hours) u CROSS JOIN LATERAL (SELECT (u.hour AT TIME ZONE 'Asia/Tehran')::date AS day) d
  ) h
  JOIN meter m ON m.config_id = h.config_id
  CROSS JOIN LATERAL (VALUES ('day', h.day), ('month', date_trunc('month', h.day::timestamp)::date)) AS g (grain, begins)
  GROUP BY h.config_id, g.grain, g.begins, m.user_id
  ORDER BY h.config_id, g.grain, g.begins
$$;

CREATE FUNCTION usage_sum_add(hours usage_hour[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_sum AS s SELECT * FROM usage_sum_part(hours)
  ON CONFLICT (config_id, grain, begins) DO UPDATE SET up = s.up + excluded.up, down = s.down + excluded.down,
    charged_toman = s.charged_toman + excluded.charged_toman, last_charged_hour = greatest(s.last_charged_hour, excluded.last_charged_hour),
    days = s.days | excluded.days, charged_days = s.charged_days | excluded.charged_days
$$;

-- Whatever the planner knows of the rows that the transaction has just written: each meter is found by index.
CREATE FUNCTION usage_sum_follow() RETURNS trigger LANGUAGE plpgsql
  SET enable_hashjoin TO 'off' SET enable_mergejoin TO 'off' SET enable_seqscan TO 'off' AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM usage_sum_add(hours) FROM (SELECT array_agg(ROW(n.*)::usage_hour) AS hours FROM new_rows n) added WHERE hours IS NOT NULL;
  ELSE
    PERFORM usage_sum_add(hours) FROM (
      SELECT array_agg(ROW(n.config_id, n.hour, n.up - o.up, n.down - o.down, n.charged_toman - o.charged_toman)::usage_hour) AS hours
      FROM new_rows n JOIN old_rows o USING (config_id, hour)
    ) added WHERE hours IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER usage_hour_added AFTER INSERT ON usage_hour REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION usage_sum_follow();
CREATE TRIGGER usage_hour_changed AFTER UPDATE ON usage_hour REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION usage_sum_follow();

CREATE TABLE usage_sum_filled (after_id uuid NOT NULL);
INSERT INTO usage_sum_filled VALUES ('00000000-0000-0000-0000-000000000000');

-- What the sums have to be.
CREATE VIEW usage_hour_sum AS
SELECT h.config_id, g.grain, g.begins, m.user_id, sum(h.up)::bigint AS up, sum(h.down)::bigint AS down, sum(h.charged_toman)::bigint AS charged_toman,
  max(h.hour) FILTER (WHERE h.charged_toman > 0) AS last_charged_hour,
  CASE g.grain WHEN 'month' THEN bit_or(CASE WHEN h.up + h.down > 0 THEN 1 << (extract(day FROM h.day)::integer - 1) ELSE 0 END) ELSE 0 END AS days,
  CASE g.grain WHEN 'month' THEN bit_or(CASE WHEN h.charged_toman > 0 THEN 1 << (extract(day FROM h.day)::integer - 1) ELSE 0 END) ELSE 0 END AS charged_days
FROM (SELECT *, (hour AT TIME ZONE 'Asia/Tehran')::date AS day FROM usage_hour) h
JOIN meter m ON m.config_id = h.config_id
CROSS JOIN LATERAL (VALUES ('day', h.day), ('month', date_trunc('month', h.day::timestamp)::date)) AS g (grain, begins)
GROUP BY h.config_id, g.grain, g.begins, m.user_id;

-- The hours of before, some configs at a time. A report locks its meters before it writes hours, so while these are locked nothing
-- is added to their hours; what the triggers have added to their sums until now is part of the hours, and is replaced.
-- step: repeat
SELECT config_id FROM meter WHERE config_id > (SELECT after_id FROM usage_sum_filled) ORDER BY config_id LIMIT 200 FOR UPDATE;
INSERT INTO usage_sum AS s
  SELECT v.* FROM usage_hour_sum v WHERE v.config_id = ANY (ARRAY(
    SELECT config_id FROM meter WHERE config_id > (SELECT after_id FROM usage_sum_filled) ORDER BY config_id LIMIT 200))
  ORDER BY v.config_id, v.grain, v.begins
  ON CONFLICT (config_id, grain, begins) DO UPDATE SET up = excluded.up, down = excluded.down,
    charged_toman = excluded.charged_toman, last_charged_hour = excluded.last_charged_hour, days = excluded.days, charged_days = excluded.charged_days;
UPDATE usage_sum_filled SET after_id = next.id FROM (
  SELECT config_id AS id FROM (
    SELECT config_id FROM meter WHERE config_id > (SELECT after_id FROM usage_sum_filled) ORDER BY config_id LIMIT 200
  ) portion ORDER BY config_id DESC LIMIT 1
) next;

-- step
DROP TABLE usage_sum_filled;
DROP VIEW usage_line;
DROP VIEW usage_day;

-- Usage per config and day, the running hour included. The id of its line in the wallet is derived and has the form of a UUID of
-- version 8 (RFC 9562), which is what clients are promised.
CREATE VIEW usage_day AS
SELECT config_id, user_id, (SELECT c.name FROM config c WHERE c.id = config_id) AS name, day,
  sum(up)::bigint AS up, sum(down)::bigint AS down, sum(charged)::bigint AS charged, max(at) AS at,
  overlay(overlay(md5(config_id::text || day::text) PLACING '8' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid AS line_id
FROM (
  SELECT config_id, user_id, begins AS day, up, down, charged_toman AS charged, last_charged_hour + interval '59 minutes' AS at
  FROM usage_sum WHERE grain = 'day'
  UNION ALL
  SELECT config_id, user_id, (hour_start AT TIME ZONE 'Asia/Tehran')::date, hour_up, hour_down, hour_charged,
    CASE WHEN hour_charged > 0 THEN greatest(last_used_at, hour_start) END
  FROM meter WHERE hour_start IS NOT NULL
) used GROUP BY config_id, user_id, day;

CREATE VIEW usage_line AS
SELECT line_id AS id, config_id, user_id, day, at, charged, name FROM usage_day WHERE charged > 0;

-- Parts of a config's months, to be summed; `lines` are those of the wallet, `days` those with usage.
CREATE VIEW usage_month AS
SELECT config_id, user_id, begins, up, down, charged_toman AS charged, bit_count(charged_days::bit(31))::integer AS lines, days
FROM usage_sum WHERE grain = 'month'
UNION ALL
SELECT m.config_id, m.user_id, date_trunc('month', d.day::timestamp)::date, m.hour_up, m.hour_down, m.hour_charged,
  CASE WHEN m.hour_charged > 0 AND NOT EXISTS (
    SELECT FROM usage_sum s WHERE s.config_id = m.config_id AND s.grain = 'day' AND s.begins = d.day AND s.charged_toman > 0
  ) THEN 1 ELSE 0 END,
  CASE WHEN m.hour_up + m.hour_down > 0 THEN 1 << (extract(day FROM d.day)::integer - 1) ELSE 0 END
FROM meter m CROSS JOIN LATERAL (SELECT (m.hour_start AT TIME ZONE 'Asia/Tehran')::date AS day) d
WHERE m.hour_start IS NOT NULL;
