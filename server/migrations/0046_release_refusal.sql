-- Why a node's agent did not install the release that it was offered last; null: it did, or none was offered.
ALTER TABLE node_presence ADD COLUMN release_refusal text;
