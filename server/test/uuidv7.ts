import type pg from 'pg';

/** The one thing that tests use and older versions lack: PostgreSQL 18's function, here after RFC 9562, section 5.7. */
export async function addUuidv7(client: pg.Client): Promise<void> {
  const { rows } = await client.query("SELECT 1 FROM pg_proc WHERE proname = 'uuidv7'");
  if (rows.length === 0) {
    await client.query(`
      CREATE FUNCTION uuidv7(shift interval DEFAULT '0') RETURNS uuid LANGUAGE sql AS $$
        SELECT encode(set_byte(overlay(uuid_send(gen_random_uuid())
          PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp() + shift) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
          6, (get_byte(uuid_send(gen_random_uuid()), 0) & 15) | 112), 'hex')::uuid $$`);
  }
}
