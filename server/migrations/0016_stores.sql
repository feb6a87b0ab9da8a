-- A person sent to a gift card store: the signed address goes out once, the store's word comes back by webhook.
CREATE TABLE gift_card_redirect (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  store text NOT NULL,
  nonce text NOT NULL,
  -- the client's own name for the request, so that sending it twice is one redirect
  request_id text,
  redirect_url text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  paid_at timestamptz,
  order_id text,
  card_id uuid REFERENCES gift_card (id),
  -- the code that was bought, for a browser that did not come back; gone once it is redeemed
  code_sealed text,
  UNIQUE (store, nonce)
);
CREATE INDEX gift_card_redirect_by_user ON gift_card_redirect (user_id, created_at DESC);

-- Webhooks that were accepted; one that comes again changes nothing.
CREATE TABLE store_webhook (
  store text NOT NULL,
  webhook_id text NOT NULL,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (store, webhook_id)
);

-- The built-in test store keeps its own side: a signed address buys once.
CREATE TABLE test_store_nonce (
  store text NOT NULL,
  nonce text NOT NULL,
  used_at timestamptz NOT NULL,
  PRIMARY KEY (store, nonce)
);
