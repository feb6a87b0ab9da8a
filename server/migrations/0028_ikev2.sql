-- A node has a key and a certificate per protocol, all by its one authority.
CREATE TABLE node_certificate (
  node_id uuid NOT NULL REFERENCES node (id),
  protocol text NOT NULL,
  -- the key that the node made for itself, and the certificate for it
  public_key text NOT NULL,
  certificate text NOT NULL,
  ends_at timestamptz NOT NULL,
  -- by which clients find the node in it, beside its id
  names text[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (node_id, protocol)
);

INSERT INTO node_certificate (node_id, protocol, public_key, certificate, ends_at)
SELECT node_id, 'openvpn', server_public_key, server_certificate, server_certificate_ends_at FROM node_authority;

ALTER TABLE node_authority
  DROP COLUMN server_public_key,
  DROP COLUMN server_certificate,
  DROP COLUMN server_certificate_ends_at;
