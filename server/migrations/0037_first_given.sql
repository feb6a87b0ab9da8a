-- L25 asked when a period was ended, by a clock that may have been set back since it gave. It asks when it first gave now.
-- Those that have given before this have no such time and are not asked: in some of them a period could give early.
ALTER TABLE subscription ADD COLUMN first_given_at timestamptz;
ALTER TABLE subscription DROP COLUMN gave_early;
