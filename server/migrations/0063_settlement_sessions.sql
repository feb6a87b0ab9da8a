-- A payment may be credited under the bank's name for the payment, when the answer with the reference was lost. So a line keeps
-- both, if its file has both. Earlier lines have the reference only.
ALTER TABLE settlement_line ADD COLUMN session text;
