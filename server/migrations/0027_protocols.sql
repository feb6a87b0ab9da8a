-- Other protocols beside WireGuard.
ALTER TABLE node ADD COLUMN openvpn_port integer NOT NULL DEFAULT 1194;

-- What the node serves at this moment, as it last said. Agents that do not say serve WireGuard.
ALTER TABLE node_presence ADD COLUMN protocols text[] NOT NULL DEFAULT '{wireguard}';

-- Each node has an authority of its own. Its key stays here, sealed: a node can certify nobody, and what it has been
-- given is worth nothing at another node.
CREATE TABLE node_authority (
  node_id uuid PRIMARY KEY REFERENCES node (id),
  certificate text NOT NULL,
  private_key_sealed text NOT NULL,
  tls_crypt_key_sealed text NOT NULL,
  -- the key that the node made for itself, and the certificate for it
  server_public_key text NOT NULL,
  server_certificate text NOT NULL,
  server_certificate_ends_at timestamptz NOT NULL
);

-- What the device's private key is certified with; null where the protocol knows no certificates.
ALTER TABLE config ADD COLUMN certificate text;
