-- The config that replaces this one. Without one it is only marked, and stays where it is when its server is active again.
ALTER TABLE config ADD COLUMN successor_id uuid REFERENCES config (id);
-- A successor has its place: a plan covers it beside as many configs as it has devices.
ALTER TABLE meter ADD COLUMN leaving boolean NOT NULL DEFAULT false;

-- What was being moved already: the successor has the name that the old one had.
UPDATE config c SET successor_id = s.id FROM node n, config s
WHERE c.leaves_at IS NOT NULL AND c.deleted_at IS NULL AND n.id = c.node_id
  AND s.user_id = c.user_id AND s.deleted_at IS NULL AND c.name = s.name || ' (' || n.name || ')';
UPDATE meter SET leaving = true FROM config c WHERE c.id = config_id AND c.successor_id IS NOT NULL;
