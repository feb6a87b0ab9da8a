-- Where a node's WireGuard runs: `kernel` or `userspace`. Null: it has not said so.
ALTER TABLE node_presence ADD COLUMN wireguard_backend text;
