-- The console finds users by a part of their address or phone number. Trigrams answer for any part of it; the extension is
-- one that the owner of a database may create (PostgreSQL calls it trusted).
-- step
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- step: alone
DROP INDEX CONCURRENTLY IF EXISTS users_email_part;
CREATE INDEX CONCURRENTLY users_email_part ON users USING gin (email gin_trgm_ops);
DROP INDEX CONCURRENTLY IF EXISTS users_phone_part;
CREATE INDEX CONCURRENTLY users_phone_part ON users USING gin (phone gin_trgm_ops)
