-- OpenVPN over TCP at a node, beside a website that strangers see there; and whether the node serves it (decision 96).
ALTER TABLE node ADD COLUMN openvpn_tcp_website text;
ALTER TABLE node_presence ADD COLUMN openvpn_tcp boolean;
