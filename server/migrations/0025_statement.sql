-- Usage per config and day of Tehran, as the wallet's lines have it, with its bytes. Free days are in it, too; only those
-- that cost something have a line in the wallet, whose derived id (RFC 9562, version 8) stands here as well.
CREATE VIEW usage_day AS
  SELECT config_id, user_id, max(name) AS name, day, sum(up)::bigint AS up, sum(down)::bigint AS down, sum(charged)::bigint AS charged,
    overlay(overlay(md5(config_id::text || day::text) PLACING '8' FROM 13 FOR 1) PLACING 'a' FROM 17 FOR 1)::uuid AS line_id
  FROM (
    SELECT c.id AS config_id, c.user_id, c.name, (h.hour AT TIME ZONE 'Asia/Tehran')::date AS day, h.up, h.down, h.charged_toman AS charged
    FROM config c JOIN usage_hour h ON h.config_id = c.id
    UNION ALL
    SELECT c.id, c.user_id, c.name, (m.hour_start AT TIME ZONE 'Asia/Tehran')::date, m.hour_up, m.hour_down, m.hour_charged
    FROM config c JOIN meter m ON m.config_id = c.id WHERE m.hour_start IS NOT NULL
  ) usage GROUP BY config_id, user_id, day;
