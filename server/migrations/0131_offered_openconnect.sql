-- Whether OpenConnect was offered with a config when it was made (decision 130): a config keeps what was offered, whatever the flag says later.
ALTER TABLE config ADD COLUMN offers_openconnect boolean NOT NULL DEFAULT true;
