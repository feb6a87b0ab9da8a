-- How much of a balance cannot go to a bank card: gift cards, transfers and corrections, which are spent last. Exact as of
-- the latest credit; since then at most the balance. Accounts of before have none: what they held was not told apart.
CREATE TABLE card_money (
  user_id uuid PRIMARY KEY REFERENCES users (id),
  card_toman bigint NOT NULL CHECK (card_toman >= 0)
);
-- How much of such money paid for a plan; it comes back as such when the plan ends early.
CREATE TABLE card_purchase (
  period_id uuid PRIMARY KEY,
  card_toman bigint NOT NULL CHECK (card_toman > 0)
);
