-- The proxy at a node, for the configs of OpenVPN: at which address of the operator's website, and whether the node serves it (decision 0137).
ALTER TABLE node ADD COLUMN proxy_url text;
ALTER TABLE node_presence ADD COLUMN proxy text;
