-- Receipts, invoices and credit notes, numbered without gaps in each Jalali year.
INSERT INTO ledger_account (id, kind, code, created_at) VALUES
  -- VAT that the invoices say, owed to the tax office
  ('00000000-0000-7000-8000-000000000041', 'house', 'tax:vat', now()),
  -- the same out of revenue, which is booked with VAT in it; negative
  ('00000000-0000-7000-8000-000000000042', 'house', 'revenue:vat', now());

-- The last number of each year. A document takes the next one in its own transaction, which holds the row until it ends.
CREATE TABLE invoice_year (
  year smallint PRIMARY KEY,
  last_number integer NOT NULL CHECK (last_number > 0)
);

CREATE TABLE invoice (
  id uuid PRIMARY KEY,
  -- Jalali
  year smallint NOT NULL REFERENCES invoice_year (year),
  number integer NOT NULL CHECK (number > 0),
  kind text NOT NULL CHECK (kind IN ('receipt', 'refund', 'reversal', 'plan', 'plan_credit', 'usage')),
  -- The payment, refund or subscription; of usage the month and the user.
  source_id text NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  amount_toman bigint NOT NULL CHECK (amount_toman > 0),
  vat_percent smallint NOT NULL DEFAULT 0 CHECK (vat_percent BETWEEN 0 AND 50),
  -- Contained in the amount.
  vat_toman bigint NOT NULL DEFAULT 0 CHECK (vat_toman >= 0 AND vat_toman < amount_toman),
  -- The document of which this takes something back.
  corrects uuid REFERENCES invoice (id),
  -- What the document is about: the plan's name, the gateway, the month.
  subject jsonb NOT NULL,
  -- The seller as the settings were then; null: not set.
  seller jsonb,
  issued_at timestamptz NOT NULL,
  CONSTRAINT invoice_numbered_once UNIQUE (year, number),
  CONSTRAINT invoice_once_per_fact UNIQUE (kind, source_id),
  CONSTRAINT invoice_vat_only_of_services CHECK (vat_toman = 0 OR kind IN ('plan', 'plan_credit', 'usage')),
  CONSTRAINT invoice_only_notes_correct CHECK (corrects IS NULL OR kind IN ('refund', 'reversal', 'plan_credit'))
);
CREATE INDEX invoice_by_user ON invoice (user_id, year DESC, number DESC);
CREATE INDEX invoice_by_time ON invoice (issued_at);
CREATE TRIGGER invoice_append_only BEFORE UPDATE OR DELETE ON invoice FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER invoice_no_truncate BEFORE TRUNCATE ON invoice FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- Months whose usage has its invoices.
CREATE TABLE invoiced_month (
  -- Jalali, as 1405-08
  month text PRIMARY KEY CHECK (month ~ '^1[34]\d\d-(0[1-9]|1[0-2])$'),
  vat_toman bigint NOT NULL CHECK (vat_toman >= 0),
  invoiced_at timestamptz NOT NULL
);

-- What there was before gets its documents in the order and with the time of the facts, without VAT and seller: nothing was set.
WITH nowruz (year, day) AS (
  VALUES (1399, date '2020-03-20'), (1400, date '2021-03-21'), (1401, date '2022-03-21'), (1402, date '2023-03-21'), (1403, date '2024-03-20'),
    (1404, date '2025-03-21'), (1405, date '2026-03-21'), (1406, date '2027-03-21'), (1407, date '2028-03-20'), (1408, date '2029-03-20'),
    (1409, date '2030-03-21'), (1410, date '2031-03-21'), (1411, date '2032-03-20'), (1412, date '2033-03-20'), (1413, date '2034-03-21')
), fact AS MATERIALIZED (
  SELECT gen_random_uuid() AS id, n.year, f.*, row_number() OVER (PARTITION BY n.year ORDER BY f.at, f.step, f.source_id) AS number
  FROM (
    SELECT 1 AS step, 'receipt' AS kind, id::text AS source_id, user_id, amount_toman AS toman, NULL AS of_kind, NULL AS of_source,
      coalesce(settled_at, created_at) AS at, jsonb_build_object('gateway', gateway) AS subject
    FROM payment WHERE state = 'completed'
    UNION ALL
    SELECT 2, 'refund', id::text, user_id, amount_toman, 'receipt', payment_id::text, coalesce(settled_at, created_at),
      jsonb_build_object('gateway', gateway)
    FROM refund WHERE state = 'confirmed'
    UNION ALL
    SELECT 2, 'reversal', v.payment_id::text, v.user_id, v.amount_toman, 'receipt', v.payment_id::text, v.created_at,
      jsonb_build_object('gateway', p.gateway)
    FROM payment_reversal v JOIN payment p ON p.id = v.payment_id
    UNION ALL
    SELECT 1, 'plan', id::text, user_id, price_toman, NULL, NULL, created_at, jsonb_build_object('nameFa', name_fa, 'nameEn', name_en)
    FROM subscription WHERE price_toman > 0
    UNION ALL
    SELECT 2, 'plan_credit', id::text, user_id, credited_toman, 'plan', id::text, ended_at,
      jsonb_build_object('nameFa', name_fa, 'nameEn', name_en)
    FROM subscription WHERE credited_toman > 0
  ) f
  CROSS JOIN LATERAL (
    SELECT year FROM nowruz WHERE day <= (f.at AT TIME ZONE 'Asia/Tehran')::date ORDER BY day DESC LIMIT 1
  ) n
), years AS (
  INSERT INTO invoice_year (year, last_number) SELECT year, count(*) FROM fact GROUP BY year
)
INSERT INTO invoice (id, year, number, kind, source_id, user_id, amount_toman, corrects, subject, issued_at)
SELECT f.id, f.year, f.number, f.kind, f.source_id, f.user_id, f.toman, o.id, f.subject, f.at
FROM fact f LEFT JOIN fact o ON o.kind = f.of_kind AND o.source_id = f.of_source;
