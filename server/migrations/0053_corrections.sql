-- When an account was erased; the money left in its wallet is written off some time later. Of those erased before this
-- column, it is not known.
ALTER TABLE users ADD COLUMN deleted_at timestamptz;
UPDATE users SET deleted_at = now() WHERE status = 'deleted';

-- What an operator changed by hand in the books, and why. It stays when the account is erased, as the books do.
CREATE TABLE wallet_correction (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id),
  -- adjustment: the wallet was wrong; remainder: left behind by an erased account; debt: will not be paid any more
  kind text NOT NULL CHECK (kind IN ('adjustment', 'remainder', 'debt')),
  -- how the wallet changed; of a debt, how much of it is given up
  amount_toman bigint NOT NULL CHECK (amount_toman <> 0),
  reason text NOT NULL CHECK (reason <> ''),
  operator text NOT NULL CHECK (operator <> ''),
  created_at timestamptz NOT NULL
);
CREATE INDEX wallet_correction_by_user ON wallet_correction (user_id);
