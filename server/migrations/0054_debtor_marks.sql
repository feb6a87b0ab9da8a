-- By which an erased account that owes, or may come to owe, is known again: an HMAC of its mailbox and of its phone number.
CREATE TABLE debtor_mark (
  mark bytea NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (mark, user_id)
);
