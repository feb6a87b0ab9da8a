-- The config that replaces this one. Without one it is only marked, and stays where it is when its server is active again.
ALTER TABLE config ADD COLUMN successor_id uuid REFERENCES config (id);
