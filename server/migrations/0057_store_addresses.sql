-- The signed address of a visit to a store lets its holder buy in the user's name and contains the e-mail address: sealed
-- from now on. Earlier ones are over ten minutes after they were made.
ALTER TABLE gift_card_redirect ADD COLUMN redirect_url_sealed text;
ALTER TABLE gift_card_redirect DROP COLUMN redirect_url;
