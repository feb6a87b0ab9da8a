-- UDP ports at which a node accepts WireGuard beside its own, as it reports them. Null: it has not.
ALTER TABLE node_presence ADD COLUMN wireguard_ports integer[];
