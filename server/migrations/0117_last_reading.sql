-- What the last reading of a meter changed, so that the statement that applies it can return it. PostgreSQL returns values from
-- before an update only from version 18 on, and an installation has 15.
ALTER TABLE meter ADD COLUMN reading_billed bigint NOT NULL DEFAULT 0;
ALTER TABLE meter ADD COLUMN reading_beyond boolean NOT NULL DEFAULT false;
ALTER TABLE meter ADD COLUMN reading_unknown boolean NOT NULL DEFAULT false;
