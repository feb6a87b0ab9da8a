-- The lines of `usage_line` in two parts that PostgreSQL can read newest first, without grouping (decision 116). A line whose running
-- hour is charged stands in both, with the same id; the running one is the whole line.
CREATE VIEW usage_line_stored AS
SELECT overlay(overlay(md5(s.config_id::text || s.begins::text) PLACING '8' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid AS id,
  s.user_id, s.begins AS day, s.last_charged_hour + interval '59 minutes' AS at, s.charged_toman AS charged, c.name
FROM usage_sum s JOIN config c ON c.id = s.config_id
WHERE s.grain = 'day' AND s.charged_toman > 0;

CREATE VIEW usage_line_running AS
SELECT overlay(overlay(md5(m.config_id::text || d.day::text) PLACING '8' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid AS id,
  m.user_id, d.day, greatest(m.last_used_at, m.hour_start, s.last_charged_hour + interval '59 minutes') AS at,
  m.hour_charged + coalesce(s.charged_toman, 0) AS charged, c.name
FROM meter m CROSS JOIN LATERAL (SELECT (m.hour_start AT TIME ZONE 'Asia/Tehran')::date AS day) d
JOIN config c ON c.id = m.config_id
LEFT JOIN usage_sum s ON s.config_id = m.config_id AND s.grain = 'day' AND s.begins = d.day
WHERE m.hour_start IS NOT NULL AND m.hour_charged > 0;
