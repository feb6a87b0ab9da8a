-- OpenConnect at a node, for the configs of OpenVPN: its port, whether over UDP as well, and whether the node serves it (decision 127).
ALTER TABLE node ADD COLUMN openconnect_port integer, ADD COLUMN openconnect_udp boolean NOT NULL DEFAULT true;
ALTER TABLE node_presence ADD COLUMN openconnect boolean;
