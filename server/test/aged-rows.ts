/** A row of a table that is deleted by age, for each user of a query: for tests of what is deleted, and of what that costs. */
export interface AgedRow {
  /** By which the row's age is judged. */
  readonly column: string;
  /** The statement, with rows of that instant; `who` has the columns of `users`. */
  insert(at: string, who: string): string;
}

const row = (
  table: string,
  column: string,
  columns: string,
  values: (at: string) => string,
): readonly [string, AgedRow] => [
  table,
  {
    column,
    insert: (at, who) =>
      `INSERT INTO ${table} (${columns}) SELECT ${values(at)} FROM ${who} AS owner ON CONFLICT DO NOTHING`,
  },
];
const id = 'gen_random_uuid()';
const session = (at: string) => `${id}, owner.id, 1, ${at} - interval '1 day', ${at}, ${at}`;
const staffRow = (table: string, columns: string, values: (at: string) => string): readonly [string, AgedRow] => [
  table,
  {
    column: 'expires_at',
    insert: (at, who) => `
      WITH m AS (
        INSERT INTO staff_member (user_id, role, added_at, enrol_until) SELECT owner.id, 'support', ${at}, ${at} FROM ${who} AS owner
        ON CONFLICT (user_id) DO UPDATE SET role = excluded.role RETURNING user_id
      )
      INSERT INTO ${table} (${columns}) SELECT ${values(at)} FROM m`,
  },
];
const sessionColumns = 'id, user_id, generation, created_at, last_used_at, expires_at';

/** By table. */
export const agedRows: ReadonlyMap<string, AgedRow> = new Map<string, AgedRow>([
  row(
    'idempotent_request',
    'created_at',
    'user_id, key, request_hash, created_at',
    (at) => `owner.id, ${at}, 'x', ${at}`,
  ),
  row(
    'email_challenge',
    'created_at',
    'id, email, purpose, code_hmac, created_at, expires_at',
    (at) => `${id}, owner.email, 'sign-in', '', ${at}, ${at}`,
  ),
  row(
    'pending_sign_in',
    'expires_at',
    'token_hash, user_id, method, session_days, created_at, expires_at',
    (at) => `uuid_send(${id}), owner.id, 'code', 1, ${at}, ${at}`,
  ),
  staffRow(
    'staff_sign_in',
    'token_hash, user_id, created_at, expires_at',
    (at) => `uuid_send(${id}), user_id, ${at}, ${at}`,
  ),
  staffRow(
    'staff_session',
    'id, token_hash, user_id, created_at, last_used_at, proved_at, expires_at',
    (at) => `${id}, uuid_send(${id}), user_id, ${at}, ${at}, ${at}, ${at}`,
  ),
  staffRow(
    'staff_token',
    'id, token_hash, user_id, name, scopes, created_at, expires_at',
    (at) => `${id}, uuid_send(${id}), user_id, 'x', '{fleet.read}', (${at}) - interval '1 day', ${at}`,
  ),
  row(
    'alert',
    'closed_at',
    'id, rule, cause, severity, began_at, seen_at, opened_at, closed_at',
    (at) => `${id}, 'node_silent', owner.id::text, 'page', ${at}, ${at}, ${at}, ${at}`,
  ),
  row('session', 'expires_at', sessionColumns, session),
  [
    'refresh_token',
    {
      column: '(SELECT s.expires_at FROM session s WHERE s.id = session_id)',
      insert: (at, who) => `
        WITH s AS (INSERT INTO session (${sessionColumns}) SELECT ${session(at)} FROM ${who} AS owner RETURNING id)
        INSERT INTO refresh_token (token_hash, session_id, generation) SELECT uuid_send(id), id, 1 FROM s`,
    },
  ],
  [
    'push_subscription',
    {
      column: 'expires_at',
      insert: (at, who) => `
        WITH s AS (INSERT INTO session (${sessionColumns}) SELECT ${session(at)} FROM ${who} AS owner RETURNING id)
        INSERT INTO push_subscription (session_id, endpoint_mark, subscription_sealed, created_at, expires_at)
        SELECT id, uuid_send(id), '', now(), ${at} FROM s`,
    },
  ],
  row(
    'known_device',
    'last_seen_at',
    'user_id, device_hash, first_seen_at, last_seen_at',
    (at) => `owner.id, uuid_send(${id}), ${at} - interval '99 days', ${at}`,
  ),
  row('failed_login', 'at', 'email, at', (at) => `owner.email, ${at}`),
  row('email_change_request', 'at', 'user_id, at', (at) => `owner.id, ${at}`),
  row(
    'password_reset',
    'created_at',
    'token_hash, user_id, created_at, expires_at',
    (at) => `uuid_send(${id}), owner.id, ${at}, ${at}`,
  ),
  row(
    'passkey_challenge',
    'expires_at',
    'challenge, purpose, requester, user_id, created_at, expires_at',
    (at) => `${id}, 'enrol', 'x', owner.id, ${at}, ${at}`,
  ),
  row('failed_redemption', 'at', 'user_id, at', (at) => `owner.id, ${at}`),
  row('unknown_recipient', 'at', 'user_id, at', (at) => `owner.id, ${at}`),
  row('store_webhook', 'received_at', 'store, webhook_id, received_at', (at) => `'x', ${id}, ${at}`),
  row(
    'gift_card_redirect',
    'created_at',
    'id, user_id, store, nonce, created_at, expires_at',
    (at) => `${id}, owner.id, 'x', ${id}, ${at}, ${at}`,
  ),
  row(
    'blocked_query_day',
    'day',
    'user_id, day, count',
    (at) => `owner.id, ((${at}) AT TIME ZONE 'Asia/Tehran')::date, 1`,
  ),
  row(
    'reach_open',
    'hour',
    'hour, network, transport, port, attempts, through',
    (at) => `${at}, abs(hashtext(owner.id::text)), 'wireguard', 0, 5, 5`,
  ),
  row(
    'entry_reach',
    'slot',
    'slot, node_id, network, transport, attempts, through',
    (at) => `${at}, ${id}, abs(hashtext(owner.id::text)), 'wireguard', 5, 5`,
  ),
  row(
    'reach_cell',
    'begins',
    'network, grain, begins, transport, port, attempts, through, answers, connected',
    (at) => `abs(hashtext(owner.id::text)), 'day', ${at}, 'wireguard', 0, 50, 50, 0, 0`,
  ),
  row(
    'phone_challenge',
    'created_at',
    'id, user_id, phone, code_hmac, created_at, expires_at',
    (at) => `${id}, owner.id, '09120000000', '', ${at}, ${at}`,
  ),
  row(
    'notification',
    'created_at',
    'id, user_id, kind, cause, data, created_at',
    (at) => `${id}, owner.id, 'wallet_credited', ${id}, '{}', ${at}`,
  ),
  row(
    'refused_webhook',
    'hour',
    'store, reason, hour, count, last_at',
    (at) => `owner.id, 'unsigned', ${at}, 1, ${at}`,
  ),
  row(
    'delivery',
    'at',
    'id, user_id, channel, kind, state, attempts, first_at, at',
    (at) => `${id}, owner.id, 'mail', 'sign_in_code', 'sent', 1, ${at}, ${at}`,
  ),
  row('debtor_mark', 'created_at', 'mark, user_id, created_at', (at) => `uuid_send(${id}), owner.id, ${at}`),
  row('gateway_minute', 'minute', 'gateway, minute, calls, unanswered, total_ms', (at) => `owner.id, ${at}, 1, 0, 1`),
  row(
    'exchange_rate',
    'taken_at',
    'id, kind, state, toman_per_usd, sources, taken_at',
    (at) => `${id}, 'market', 'accepted', 80000, '[]', ${at}`,
  ),
  [
    'family_link',
    {
      column: 'ended_at',
      insert: (at, who) => `
        INSERT INTO family_link (id, config_id, user_id, guest_name, sender_name, token_hash, created_at, expires_at, ended_at)
        SELECT ${id}, c.id, owner.id, 'x', '', uuid_send(${id}), ${at}, ${at}, ${at}
        FROM ${who} AS owner JOIN config c ON c.user_id = owner.id`,
    },
  ],
  [
    'connection',
    {
      // The one of now is there because the last connection of a config stays.
      column: 'started_at',
      insert: (at, who) => `
        INSERT INTO connection (config_id, started_at, ended_at, start_bytes, end_bytes)
        SELECT c.id, times.at, times.at, 0, 0 FROM ${who} AS owner JOIN config c ON c.user_id = owner.id
        CROSS JOIN LATERAL (VALUES (${at}), (now() - interval '1 minute')) times (at)
        ON CONFLICT DO NOTHING`,
    },
  ],
  row(
    'plan_sum_change',
    'at',
    'at, plan_id, sold, running, cancelled, paid_toman, credited_toman',
    (at) => `${at}, 'basic', 0, 0, 0, 0, 0`,
  ),
]);
