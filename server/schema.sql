-- The schema that the migrations of this folder add up to. Written by `npm run schema`, compared by a test; never edited.

CREATE TABLE alert (
  id uuid NOT NULL,
  rule text NOT NULL,
  cause text NOT NULL,
  severity text NOT NULL,
  figure bigint,
  began_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  opened_at timestamptz,
  announced boolean NOT NULL DEFAULT false,
  next_at timestamptz,
  acknowledged_at timestamptz,
  acknowledged_by uuid,
  silenced_until timestamptz,
  silenced_by uuid,
  closed_at timestamptz,
  CONSTRAINT alert_pkey PRIMARY KEY (id),
  CONSTRAINT alert_acknowledged_by_fkey FOREIGN KEY (acknowledged_by) REFERENCES users(id),
  CONSTRAINT alert_silenced_by_fkey FOREIGN KEY (silenced_by) REFERENCES users(id),
  CONSTRAINT alert_closed_was_open CHECK (closed_at IS NULL OR opened_at IS NOT NULL),
  CONSTRAINT alert_severity_check CHECK (severity = ANY (ARRAY['page'::text, 'ticket'::text]))
);
CREATE INDEX alert_closed ON alert USING btree (closed_at DESC, id DESC) WHERE (closed_at IS NOT NULL);
CREATE INDEX alert_silenced ON alert USING btree (silenced_until) WHERE (silenced_until IS NOT NULL);
CREATE UNIQUE INDEX alert_standing ON alert USING btree (rule, cause) WHERE (closed_at IS NULL);

CREATE TABLE alert_message (
  id uuid NOT NULL,
  alert_id uuid NOT NULL,
  event text NOT NULL,
  channel text NOT NULL,
  member_id uuid,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamptz,
  sent_at timestamptz,
  failed_at timestamptz,
  failure text,
  CONSTRAINT alert_message_pkey PRIMARY KEY (id),
  CONSTRAINT alert_message_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alert(id) ON DELETE CASCADE,
  CONSTRAINT alert_message_member_id_fkey FOREIGN KEY (member_id) REFERENCES users(id),
  CONSTRAINT alert_message_channel_check CHECK (channel = ANY (ARRAY['mail'::text, 'webhook'::text])),
  CONSTRAINT alert_message_ends CHECK (num_nonnulls(next_at, sent_at, failed_at) = 1),
  CONSTRAINT alert_message_event_check CHECK (event = ANY (ARRAY['opened'::text, 'reminded'::text, 'closed'::text]))
);
CREATE INDEX alert_message_by_alert ON alert_message USING btree (alert_id);
CREATE INDEX alert_message_by_time ON alert_message USING btree (created_at);
CREATE INDEX alert_message_due ON alert_message USING btree (next_at) WHERE (next_at IS NOT NULL);

CREATE TABLE approval (
  id uuid NOT NULL,
  act text NOT NULL,
  payload jsonb NOT NULL,
  reason text NOT NULL,
  proposed_by uuid NOT NULL,
  proposed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'open'::text,
  decided_by uuid,
  machine_user text,
  decided_at timestamptz,
  alone boolean NOT NULL DEFAULT false,
  CONSTRAINT approval_pkey PRIMARY KEY (id),
  CONSTRAINT approval_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  CONSTRAINT approval_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES users(id),
  CONSTRAINT approval_act_check CHECK (act = ANY (ARRAY['cards'::text, 'price'::text, 'plan'::text])),
  CONSTRAINT approval_check CHECK (expires_at > proposed_at),
  CONSTRAINT approval_decided CHECK ((state = 'open'::text) = (decided_at IS NULL) AND num_nonnulls(decided_by, machine_user) =
CASE
    WHEN state = 'open'::text THEN 0
    ELSE 1
END),
  CONSTRAINT approval_reason_check CHECK (reason <> ''::text),
  CONSTRAINT approval_state_check CHECK (state = ANY (ARRAY['open'::text, 'done'::text, 'declined'::text, 'withdrawn'::text])),
  CONSTRAINT approval_two_members CHECK (state <> 'done'::text OR decided_by IS NULL OR alone = (decided_by = proposed_by))
);
CREATE INDEX approval_by_time ON approval USING btree (proposed_at DESC, id DESC);
CREATE INDEX approval_open ON approval USING btree (proposed_at, id) WHERE (state = 'open'::text);

CREATE TABLE audit_entry (
  number bigint NOT NULL,
  at timestamptz NOT NULL,
  actor_kind text NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  target_kind text,
  target_id text,
  user_id uuid,
  operator text,
  reason text,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  changed jsonb NOT NULL DEFAULT '{}'::jsonb,
  chain bytea NOT NULL,
  CONSTRAINT audit_entry_pkey PRIMARY KEY (number),
  CONSTRAINT audit_entry_actor_kind_check CHECK (actor_kind = ANY (ARRAY['command-line'::text, 'staff'::text])),
  CONSTRAINT audit_entry_check CHECK ((target_kind IS NULL) = (target_id IS NULL)),
  CONSTRAINT audit_entry_number_check CHECK (number > 0)
);
CREATE INDEX audit_entry_action ON audit_entry USING btree (action, number DESC);
CREATE INDEX audit_entry_actor ON audit_entry USING btree (actor, number DESC);
CREATE INDEX audit_entry_target ON audit_entry USING btree (target_kind, target_id, number DESC);
CREATE INDEX audit_entry_user ON audit_entry USING btree (user_id, number DESC) WHERE (user_id IS NOT NULL);

CREATE TABLE avatar (
  user_id uuid NOT NULL,
  id uuid NOT NULL,
  webp bytea NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT avatar_pkey PRIMARY KEY (user_id),
  CONSTRAINT avatar_id_key UNIQUE (id),
  CONSTRAINT avatar_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE blocked_query_day (
  user_id uuid NOT NULL,
  day date NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT blocked_query_day_pkey PRIMARY KEY (user_id, day),
  CONSTRAINT blocked_query_day_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT blocked_query_day_count_not_negative CHECK (count >= 0)
);
CREATE INDEX blocked_query_day_by_age ON blocked_query_day USING btree (day);

CREATE TABLE book_month (
  month text NOT NULL,
  first_day date NOT NULL,
  last_day date NOT NULL,
  transfers bigint NOT NULL,
  operator text NOT NULL,
  closed_at timestamptz NOT NULL,
  CONSTRAINT book_month_pkey PRIMARY KEY (month),
  CONSTRAINT book_month_first_day_key UNIQUE (first_day),
  CONSTRAINT book_month_last_day_key UNIQUE (last_day),
  CONSTRAINT book_month_days CHECK ((last_day - first_day) >= 28 AND (last_day - first_day) <= 30),
  CONSTRAINT book_month_month_check CHECK (month ~ '^1[34]\d\d-(0[1-9]|1[0-2])$'::text),
  CONSTRAINT book_month_operator_check CHECK (operator <> ''::text)
);

CREATE TABLE book_month_sum (
  month text NOT NULL,
  account text NOT NULL,
  moved_toman bigint NOT NULL,
  closing_toman bigint NOT NULL,
  CONSTRAINT book_month_sum_pkey PRIMARY KEY (month, account),
  CONSTRAINT book_month_sum_month_fkey FOREIGN KEY (month) REFERENCES book_month(month)
);

CREATE TABLE bulk (
  id uuid NOT NULL,
  act text NOT NULL,
  reason text NOT NULL,
  filter jsonb,
  actor_kind text NOT NULL,
  actor text NOT NULL,
  ordered_at timestamptz NOT NULL,
  starts_at timestamptz,
  state text NOT NULL DEFAULT 'planned'::text,
  people integer NOT NULL,
  done integer NOT NULL DEFAULT 0,
  failed integer NOT NULL DEFAULT 0,
  ended_at timestamptz,
  lost_permission boolean NOT NULL DEFAULT false,
  undoes uuid,
  each_toman bigint,
  message text,
  proposal_id uuid,
  approve_by timestamptz,
  CONSTRAINT bulk_pkey PRIMARY KEY (id),
  CONSTRAINT bulk_proposal_id_key UNIQUE (proposal_id),
  CONSTRAINT bulk_undoes_key UNIQUE (undoes),
  CONSTRAINT bulk_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES correction_proposal(id),
  CONSTRAINT bulk_undoes_fkey FOREIGN KEY (undoes) REFERENCES bulk(id),
  CONSTRAINT bulk_act_check CHECK (act = ANY (ARRAY['suspend'::text, 'reopen'::text, 'end_sessions'::text, 'credit'::text])),
  CONSTRAINT bulk_actor_kind_check CHECK (actor_kind = ANY (ARRAY['staff'::text, 'command-line'::text])),
  CONSTRAINT bulk_approval CHECK ((approve_by IS NULL) = (proposal_id IS NULL)),
  CONSTRAINT bulk_begin CHECK (starts_at IS NOT NULL OR proposal_id IS NOT NULL AND (state = ANY (ARRAY['proposed'::text, 'cancelled'::text]))),
  CONSTRAINT bulk_counts CHECK (done >= 0 AND failed >= 0 AND (done + failed) <= people),
  CONSTRAINT bulk_credit CHECK (
CASE
    WHEN act = 'credit'::text THEN each_toman > 0 AND message <> ''::text AND undoes IS NULL AND (proposal_id IS NOT NULL) = (actor_kind = 'staff'::text)
    ELSE each_toman IS NULL AND message IS NULL AND proposal_id IS NULL
END IS TRUE),
  CONSTRAINT bulk_end CHECK ((ended_at IS NOT NULL) = (state = ANY (ARRAY['stopped'::text, 'cancelled'::text, 'done'::text]))),
  CONSTRAINT bulk_people_check CHECK (people > 0),
  CONSTRAINT bulk_proposed CHECK (state <> 'proposed'::text OR starts_at IS NULL),
  CONSTRAINT bulk_state_check CHECK (state = ANY (ARRAY['proposed'::text, 'planned'::text, 'running'::text, 'paused'::text, 'stopped'::text, 'cancelled'::text, 'done'::text]))
);
CREATE INDEX bulk_open ON bulk USING btree (starts_at, id) WHERE (state = ANY (ARRAY['planned'::text, 'running'::text, 'paused'::text]));
CREATE INDEX bulk_proposed_until ON bulk USING btree (approve_by) WHERE (state = 'proposed'::text);

CREATE TABLE bulk_item (
  bulk_id uuid NOT NULL,
  user_id uuid NOT NULL,
  state text NOT NULL DEFAULT 'open'::text,
  why text,
  tries smallint NOT NULL DEFAULT 0,
  at timestamptz,
  CONSTRAINT bulk_item_pkey PRIMARY KEY (bulk_id, user_id),
  CONSTRAINT bulk_item_bulk_id_fkey FOREIGN KEY (bulk_id) REFERENCES bulk(id),
  CONSTRAINT bulk_item_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT bulk_item_at CHECK ((at IS NULL) = (state = 'open'::text)),
  CONSTRAINT bulk_item_state_check CHECK (state = ANY (ARRAY['open'::text, 'done'::text, 'failed'::text])),
  CONSTRAINT bulk_item_why CHECK ((why IS NOT NULL) = (state = 'failed'::text))
);
CREATE INDEX bulk_item_failed ON bulk_item USING btree (bulk_id, user_id) WHERE (state = 'failed'::text);
CREATE INDEX bulk_item_next ON bulk_item USING btree (bulk_id, tries, user_id) WHERE (state = 'open'::text);

CREATE TABLE card_money (
  user_id uuid NOT NULL,
  card_toman bigint NOT NULL,
  bound_toman bigint NOT NULL DEFAULT 0,
  CONSTRAINT card_money_pkey PRIMARY KEY (user_id),
  CONSTRAINT card_money_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT card_money_bound_toman_check CHECK (bound_toman >= 0),
  CONSTRAINT card_money_card_toman_check CHECK (card_toman >= 0)
);

CREATE TABLE card_purchase (
  period_id uuid NOT NULL,
  card_toman bigint NOT NULL,
  bound_toman bigint NOT NULL DEFAULT 0,
  CONSTRAINT card_purchase_pkey PRIMARY KEY (period_id),
  CONSTRAINT card_purchase_bound_toman_check CHECK (bound_toman >= 0),
  CONSTRAINT card_purchase_card_toman_check CHECK (card_toman > 0)
);

CREATE TABLE config (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  node_id uuid NOT NULL,
  name text NOT NULL,
  protocol text NOT NULL,
  credential text NOT NULL,
  client_secret_sealed text NOT NULL,
  private_key_sealed text,
  slot integer NOT NULL,
  blocked boolean NOT NULL DEFAULT false,
  connect_requested_at timestamptz,
  created_at timestamptz NOT NULL,
  deleted_at timestamptz,
  removed_at timestamptz,
  certificate text,
  leaves_at timestamptz,
  replacement_id uuid,
  offers_openconnect boolean NOT NULL DEFAULT true,
  CONSTRAINT config_pkey PRIMARY KEY (id),
  CONSTRAINT config_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id),
  CONSTRAINT config_replacement_id_fkey FOREIGN KEY (replacement_id) REFERENCES config(id),
  CONSTRAINT config_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX config_by_node ON config USING btree (node_id) WHERE (removed_at IS NULL);
CREATE INDEX config_by_user ON config USING btree (user_id, created_at DESC) WHERE (deleted_at IS NULL);
CREATE INDEX config_by_user_with_deleted ON config USING btree (user_id);
CREATE UNIQUE INDEX config_credential ON config USING btree (credential) WHERE (removed_at IS NULL);
CREATE INDEX config_leaving ON config USING btree (leaves_at) WHERE ((leaves_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE UNIQUE INDEX config_name ON config USING btree (user_id, name) WHERE (deleted_at IS NULL);
CREATE UNIQUE INDEX config_slot ON config USING btree (node_id, slot) WHERE (removed_at IS NULL);

CREATE TABLE connection (
  config_id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz,
  start_bytes bigint NOT NULL,
  end_bytes bigint,
  CONSTRAINT connection_pkey PRIMARY KEY (config_id, started_at),
  CONSTRAINT connection_config_id_fkey FOREIGN KEY (config_id) REFERENCES config(id),
  CONSTRAINT connection_bytes_grow CHECK (end_bytes >= start_bytes),
  CONSTRAINT connection_end_has_bytes CHECK ((ended_at IS NULL) = (end_bytes IS NULL)),
  CONSTRAINT connection_ends_after_start CHECK (ended_at >= started_at)
);
CREATE INDEX connection_by_end ON connection USING btree (ended_at);
CREATE UNIQUE INDEX connection_open ON connection USING btree (config_id) WHERE (ended_at IS NULL);
CREATE INDEX connection_open_by_start ON connection USING btree (started_at) WHERE (ended_at IS NULL);

CREATE TABLE correction_proposal (
  id uuid NOT NULL,
  user_id uuid,
  kind text NOT NULL,
  amount_toman bigint NOT NULL,
  reason text NOT NULL,
  proposed_by uuid NOT NULL,
  proposed_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'open'::text,
  decided_by uuid,
  decided_at timestamptz,
  alone boolean NOT NULL DEFAULT false,
  payment_id uuid,
  reference text,
  same_reference boolean NOT NULL DEFAULT false,
  each_toman bigint,
  people integer,
  people_hash text,
  CONSTRAINT correction_proposal_pkey PRIMARY KEY (id),
  CONSTRAINT correction_proposal_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES users(id),
  CONSTRAINT correction_proposal_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id),
  CONSTRAINT correction_proposal_proposed_by_fkey FOREIGN KEY (proposed_by) REFERENCES users(id),
  CONSTRAINT correction_proposal_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT correction_proposal_amount_toman_check CHECK (amount_toman <> 0),
  CONSTRAINT correction_proposal_bulk CHECK (
CASE
    WHEN kind = 'bulk'::text THEN user_id IS NULL AND people_hash IS NOT NULL AND each_toman > 0 AND people > 0 AND amount_toman = (each_toman * people)
    ELSE user_id IS NOT NULL AND each_toman IS NULL AND people IS NULL AND people_hash IS NULL
END IS TRUE),
  CONSTRAINT correction_proposal_check CHECK (expires_at > proposed_at),
  CONSTRAINT correction_proposal_credit CHECK ((kind = 'credit'::text) = (payment_id IS NOT NULL) AND (kind = 'credit'::text) = (reference IS NOT NULL)),
  CONSTRAINT correction_proposal_decided CHECK ((state = 'open'::text) = (decided_by IS NULL) AND (state = 'open'::text) = (decided_at IS NULL)),
  CONSTRAINT correction_proposal_kind_check CHECK (kind = ANY (ARRAY['adjustment'::text, 'debt'::text, 'credit'::text, 'bulk'::text])),
  CONSTRAINT correction_proposal_reason_check CHECK (reason <> ''::text),
  CONSTRAINT correction_proposal_state_check CHECK (state = ANY (ARRAY['open'::text, 'done'::text, 'declined'::text, 'withdrawn'::text])),
  CONSTRAINT correction_proposal_two_members CHECK (state <> 'done'::text OR alone = (decided_by = proposed_by))
);
CREATE INDEX correction_proposal_by_payment ON correction_proposal USING btree (payment_id) WHERE (payment_id IS NOT NULL);
CREATE INDEX correction_proposal_by_time ON correction_proposal USING btree (proposed_at DESC, id DESC);
CREATE INDEX correction_proposal_by_user ON correction_proposal USING btree (user_id);
CREATE INDEX correction_proposal_open ON correction_proposal USING btree (proposed_at, id) WHERE (state = 'open'::text);

CREATE TABLE debtor_mark (
  mark bytea NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT debtor_mark_pkey PRIMARY KEY (mark, user_id),
  CONSTRAINT debtor_mark_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX debtor_mark_by_age ON debtor_mark USING btree (created_at);

CREATE TABLE delivery (
  id uuid NOT NULL,
  user_id uuid,
  channel text NOT NULL,
  kind text NOT NULL,
  notification_id uuid,
  state text NOT NULL,
  attempts smallint NOT NULL,
  reason text,
  code smallint,
  first_at timestamptz NOT NULL,
  at timestamptz NOT NULL,
  resent_at timestamptz[] NOT NULL DEFAULT '{}'::timestamptz[],
  CONSTRAINT delivery_pkey PRIMARY KEY (id),
  CONSTRAINT delivery_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT delivery_attempts_positive CHECK (attempts > 0),
  CONSTRAINT delivery_channel_known CHECK (channel = ANY (ARRAY['mail'::text, 'sms'::text])),
  CONSTRAINT delivery_kind_form CHECK (kind ~ '^[a-z_]{1,40}$'::text),
  CONSTRAINT delivery_reason_form CHECK (reason ~ '^[a-z_]{1,40}$'::text),
  CONSTRAINT delivery_reason_given CHECK ((state = 'sent'::text) = (reason IS NULL)),
  CONSTRAINT delivery_state_known CHECK (state = ANY (ARRAY['waiting'::text, 'sent'::text, 'uncertain'::text, 'failed'::text, 'given_up'::text]))
);
CREATE INDEX delivery_by_age ON delivery USING btree (at);
CREATE INDEX delivery_of_user ON delivery USING btree (user_id, first_at, id) WHERE (user_id IS NOT NULL);
CREATE INDEX delivery_unsent ON delivery USING btree (first_at, id, state, channel) WHERE (state <> 'sent'::text);

CREATE TABLE dns_filtering (
  user_id uuid NOT NULL,
  CONSTRAINT dns_filtering_pkey PRIMARY KEY (user_id),
  CONSTRAINT dns_filtering_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE earned_day (
  day date NOT NULL,
  toman bigint NOT NULL,
  booked_at timestamptz NOT NULL,
  CONSTRAINT earned_day_pkey PRIMARY KEY (day),
  CONSTRAINT earned_day_toman_check CHECK (toman >= 0)
);

CREATE TABLE email_challenge (
  id uuid NOT NULL,
  email text NOT NULL,
  purpose text NOT NULL,
  code_hmac bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  replaced_at timestamptz,
  requester text NOT NULL DEFAULT 'anonymous'::text,
  requester_known boolean NOT NULL DEFAULT false,
  canonical_email text NOT NULL DEFAULT ''::text,
  CONSTRAINT email_challenge_pkey PRIMARY KEY (id),
  CONSTRAINT email_challenge_purpose_check CHECK (purpose = ANY (ARRAY['sign-in'::text, 'verify-email'::text, 'change-email'::text, 'confirm'::text, 'console'::text]))
);
CREATE INDEX email_challenge_by_age ON email_challenge USING btree (created_at);
CREATE INDEX email_challenge_by_email ON email_challenge USING btree (email, created_at DESC);
CREATE INDEX email_challenge_by_mailbox ON email_challenge USING btree (canonical_email, created_at DESC);
CREATE INDEX email_challenge_wrong ON email_challenge USING btree (created_at) WHERE ((attempts > 0) AND (NOT requester_known) AND (used_at IS NULL));

CREATE TABLE email_change_request (
  user_id uuid NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX email_change_request_by_age ON email_change_request USING btree (at);
CREATE INDEX email_change_request_by_user ON email_change_request USING btree (user_id, at);

CREATE TABLE entry_block (
  id uuid NOT NULL,
  node_id uuid NOT NULL,
  relay_id uuid,
  began_at timestamptz NOT NULL,
  ended_at timestamptz,
  notified_at timestamptz,
  by_rule boolean NOT NULL DEFAULT false,
  blocked_by uuid,
  reason text,
  evidence jsonb,
  CONSTRAINT entry_block_pkey PRIMARY KEY (id),
  CONSTRAINT entry_block_blocked_by_fkey FOREIGN KEY (blocked_by) REFERENCES staff_member(user_id),
  CONSTRAINT entry_block_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id),
  CONSTRAINT entry_block_relay_id_fkey FOREIGN KEY (relay_id) REFERENCES relay(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX entry_block_standing ON entry_block USING btree (node_id, relay_id) NULLS NOT DISTINCT WHERE (ended_at IS NULL);

CREATE TABLE entry_name (
  node_id uuid NOT NULL,
  name text NOT NULL,
  addresses text[] NOT NULL,
  published_at timestamptz NOT NULL,
  CONSTRAINT entry_name_pkey PRIMARY KEY (node_id),
  CONSTRAINT entry_name_name_key UNIQUE (name),
  CONSTRAINT entry_name_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
);

CREATE TABLE entry_reach (
  slot timestamptz NOT NULL,
  node_id uuid NOT NULL,
  relay_id uuid,
  network bigint NOT NULL,
  transport text NOT NULL,
  attempts bigint NOT NULL,
  through bigint NOT NULL,
  CONSTRAINT entry_reach_slot_node_id_relay_id_network_transport_key UNIQUE NULLS NOT DISTINCT (slot, node_id, relay_id, network, transport)
);

CREATE TABLE entry_suspect (
  node_id uuid NOT NULL,
  relay_id uuid,
  seen_at timestamptz NOT NULL,
  kept text NOT NULL,
  CONSTRAINT entry_suspect_node_id_relay_id_key UNIQUE NULLS NOT DISTINCT (node_id, relay_id),
  CONSTRAINT entry_suspect_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id),
  CONSTRAINT entry_suspect_relay_id_fkey FOREIGN KEY (relay_id) REFERENCES relay(id) ON DELETE CASCADE,
  CONSTRAINT entry_suspect_kept_check CHECK (kept = ANY (ARRAY['last'::text, 'share'::text, 'off'::text]))
);

CREATE TABLE exchange_rate (
  id uuid NOT NULL,
  kind text NOT NULL,
  state text NOT NULL,
  toman_per_usd bigint,
  sources jsonb NOT NULL,
  taken_at timestamptz NOT NULL,
  valid_until timestamptz,
  CONSTRAINT exchange_rate_pkey PRIMARY KEY (id),
  CONSTRAINT exchange_rate_kind_check CHECK (kind = ANY (ARRAY['operator'::text, 'market'::text])),
  CONSTRAINT exchange_rate_none_has_no_rate CHECK ((state = 'none'::text) = (toman_per_usd IS NULL)),
  CONSTRAINT exchange_rate_only_operators_end CHECK (kind = 'operator'::text OR valid_until IS NULL),
  CONSTRAINT exchange_rate_state_check CHECK (state = ANY (ARRAY['accepted'::text, 'held'::text, 'none'::text])),
  CONSTRAINT exchange_rate_toman_per_usd_check CHECK (toman_per_usd > 0)
);
CREATE INDEX exchange_rate_by_time ON exchange_rate USING btree (kind, taken_at DESC);
CREATE INDEX exchange_rate_refused ON exchange_rate USING btree (taken_at) WHERE ((kind = 'market'::text) AND (state <> 'accepted'::text));

CREATE TABLE exchange_rate_refresh (
  one boolean NOT NULL DEFAULT true,
  started_at timestamptz NOT NULL,
  CONSTRAINT exchange_rate_refresh_pkey PRIMARY KEY (one),
  CONSTRAINT exchange_rate_refresh_one_row CHECK (one)
);

CREATE TABLE failed_login (
  email text NOT NULL,
  at timestamptz NOT NULL,
  bucket text NOT NULL DEFAULT 'stranger'::text
);
CREATE INDEX failed_login_by_email ON failed_login USING btree (email, at);
CREATE INDEX failed_login_by_time ON failed_login USING btree (at);

CREATE TABLE failed_redemption (
  user_id uuid NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX failed_redemption_by_age ON failed_redemption USING btree (at);
CREATE INDEX failed_redemption_by_user ON failed_redemption USING btree (user_id, at);

CREATE TABLE family_link (
  id uuid NOT NULL,
  config_id uuid NOT NULL,
  user_id uuid NOT NULL,
  guest_name text NOT NULL,
  sender_name text NOT NULL,
  token_hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  opened_at timestamptz,
  browser_hash bytea,
  ended_at timestamptz,
  CONSTRAINT family_link_pkey PRIMARY KEY (id),
  CONSTRAINT family_link_token_hash_key UNIQUE (token_hash),
  CONSTRAINT family_link_config_id_fkey FOREIGN KEY (config_id) REFERENCES config(id),
  CONSTRAINT family_link_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT family_link_opened_by CHECK ((opened_at IS NULL) = (browser_hash IS NULL))
);
CREATE INDEX family_link_by_user ON family_link USING btree (user_id);
CREATE INDEX family_link_ended ON family_link USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE UNIQUE INDEX family_link_of_config ON family_link USING btree (config_id) WHERE (ended_at IS NULL);

CREATE TABLE free_slot (
  node_id uuid NOT NULL,
  slot integer NOT NULL,
  freed_at timestamptz NOT NULL,
  CONSTRAINT free_slot_pkey PRIMARY KEY (node_id, slot),
  CONSTRAINT free_slot_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
);

CREATE TABLE gateway_minute (
  gateway text NOT NULL,
  minute timestamptz NOT NULL,
  calls integer NOT NULL,
  unanswered integer NOT NULL,
  total_ms bigint NOT NULL,
  CONSTRAINT gateway_minute_pkey PRIMARY KEY (gateway, minute)
);

CREATE TABLE gift_card (
  id uuid NOT NULL,
  batch_id uuid NOT NULL,
  code_hmac bytea NOT NULL,
  pepper_version integer NOT NULL,
  last4 text NOT NULL,
  face_usd_cents integer NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  expires_at timestamptz,
  redeemed_by uuid,
  redeemed_at timestamptz,
  toman_per_usd bigint,
  credited_toman bigint,
  created_at timestamptz NOT NULL,
  voided_at timestamptz,
  sold_toman bigint,
  broken_at timestamptz,
  CONSTRAINT gift_card_pkey PRIMARY KEY (id),
  CONSTRAINT gift_card_code_hmac_key UNIQUE (code_hmac),
  CONSTRAINT gift_card_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES gift_card_batch(id),
  CONSTRAINT gift_card_redeemed_by_fkey FOREIGN KEY (redeemed_by) REFERENCES users(id),
  CONSTRAINT gift_card_broken CHECK (broken_at IS NULL OR sold_toman IS NOT NULL AND status <> 'redeemed'::text),
  CONSTRAINT gift_card_face_usd_cents_check CHECK (face_usd_cents > 0),
  CONSTRAINT gift_card_redeemed_is_complete CHECK ((status = 'redeemed'::text) = (redeemed_by IS NOT NULL AND redeemed_at IS NOT NULL AND credited_toman IS NOT NULL)),
  CONSTRAINT gift_card_sold_toman_check CHECK (sold_toman >= 0),
  CONSTRAINT gift_card_status_check CHECK (status = ANY (ARRAY['active'::text, 'redeemed'::text, 'void'::text])),
  CONSTRAINT gift_card_void_has_time CHECK ((status = 'void'::text) = (voided_at IS NOT NULL))
);
CREATE INDEX gift_card_broken_by_time ON gift_card USING btree (broken_at) WHERE (broken_at IS NOT NULL);
CREATE INDEX gift_card_by_batch ON gift_card USING btree (batch_id);
CREATE INDEX gift_card_by_redeemer ON gift_card USING btree (redeemed_by) WHERE (redeemed_by IS NOT NULL);
CREATE INDEX gift_card_redeemed ON gift_card USING btree (redeemed_at) WHERE (redeemed_at IS NOT NULL);
CREATE INDEX gift_card_to_break ON gift_card USING btree (expires_at) WHERE ((status = 'active'::text) AND (sold_toman IS NOT NULL) AND (broken_at IS NULL));
CREATE INDEX gift_card_void_owed ON gift_card USING btree (id) WHERE ((status = 'void'::text) AND (sold_toman IS NOT NULL) AND (broken_at IS NULL));

CREATE TABLE gift_card_batch (
  id uuid NOT NULL,
  note text NOT NULL DEFAULT ''::text,
  created_at timestamptz NOT NULL,
  codes_sealed text,
  exported_at timestamptz,
  alone_usd_cents bigint,
  limit_usd_cents bigint,
  approval_id uuid,
  CONSTRAINT gift_card_batch_pkey PRIMARY KEY (id),
  CONSTRAINT gift_card_batch_approval_id_key UNIQUE (approval_id),
  CONSTRAINT gift_card_batch_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approval(id),
  CONSTRAINT gift_card_batch_allowed CHECK ((alone_usd_cents IS NULL) = (limit_usd_cents IS NULL) AND num_nonnulls(alone_usd_cents, approval_id) <= 1),
  CONSTRAINT gift_card_batch_alone_usd_cents_check CHECK (alone_usd_cents > 0),
  CONSTRAINT gift_card_batch_limit_usd_cents_check CHECK (limit_usd_cents >= 0)
);
CREATE INDEX gift_card_batch_alone ON gift_card_batch USING btree (created_at) WHERE (alone_usd_cents IS NOT NULL);

CREATE TABLE gift_card_payment (
  id uuid NOT NULL,
  batch_id uuid NOT NULL,
  kind text NOT NULL,
  toman bigint NOT NULL,
  reason text NOT NULL,
  operator text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT gift_card_payment_pkey PRIMARY KEY (id),
  CONSTRAINT gift_card_payment_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES gift_card_sale(batch_id),
  CONSTRAINT gift_card_payment_kind_check CHECK (kind = ANY (ARRAY['paid'::text, 'written_off'::text])),
  CONSTRAINT gift_card_payment_operator_check CHECK (operator <> ''::text),
  CONSTRAINT gift_card_payment_reason_check CHECK (reason <> ''::text),
  CONSTRAINT gift_card_payment_toman_check CHECK (toman > 0)
);
CREATE INDEX gift_card_payment_by_batch ON gift_card_payment USING btree (batch_id);
CREATE INDEX gift_card_payment_by_time ON gift_card_payment USING btree (created_at);

CREATE TABLE gift_card_redirect (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  store text NOT NULL,
  nonce text NOT NULL,
  request_id text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  paid_at timestamptz,
  order_id text,
  card_id uuid,
  code_sealed text,
  redirect_url_sealed text,
  CONSTRAINT gift_card_redirect_pkey PRIMARY KEY (id),
  CONSTRAINT gift_card_redirect_store_nonce_key UNIQUE (store, nonce),
  CONSTRAINT gift_card_redirect_card_id_fkey FOREIGN KEY (card_id) REFERENCES gift_card(id),
  CONSTRAINT gift_card_redirect_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX gift_card_redirect_by_user ON gift_card_redirect USING btree (user_id, created_at DESC);
CREATE INDEX gift_card_redirect_coded ON gift_card_redirect USING btree (paid_at) WHERE (code_sealed IS NOT NULL);
CREATE INDEX gift_card_redirect_unpaid ON gift_card_redirect USING btree (created_at) WHERE (paid_at IS NULL);

CREATE TABLE gift_card_sale (
  batch_id uuid NOT NULL,
  buyer text NOT NULL,
  toman bigint NOT NULL,
  reason text NOT NULL,
  operator text NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT gift_card_sale_pkey PRIMARY KEY (batch_id),
  CONSTRAINT gift_card_sale_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES gift_card_batch(id),
  CONSTRAINT gift_card_sale_buyer_check CHECK (buyer <> ''::text),
  CONSTRAINT gift_card_sale_operator_check CHECK (operator <> ''::text),
  CONSTRAINT gift_card_sale_reason_check CHECK (reason <> ''::text),
  CONSTRAINT gift_card_sale_toman_check CHECK (toman > 0)
);
CREATE INDEX gift_card_sale_by_time ON gift_card_sale USING btree (created_at);

CREATE TABLE idempotent_request (
  user_id uuid NOT NULL,
  key text NOT NULL,
  request_hash text NOT NULL,
  response jsonb,
  created_at timestamptz NOT NULL,
  CONSTRAINT idempotent_request_pkey PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotent_request_by_age ON idempotent_request USING btree (created_at);

CREATE TABLE invoice (
  id uuid NOT NULL,
  year smallint NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL,
  source_id text NOT NULL,
  user_id uuid NOT NULL,
  amount_toman bigint NOT NULL,
  vat_percent smallint NOT NULL DEFAULT 0,
  vat_toman bigint NOT NULL DEFAULT 0,
  corrects uuid,
  subject jsonb NOT NULL,
  seller jsonb,
  issued_at timestamptz NOT NULL,
  CONSTRAINT invoice_pkey PRIMARY KEY (id),
  CONSTRAINT invoice_numbered_once UNIQUE (year, number),
  CONSTRAINT invoice_once_per_fact UNIQUE (kind, source_id),
  CONSTRAINT invoice_corrects_fkey FOREIGN KEY (corrects) REFERENCES invoice(id),
  CONSTRAINT invoice_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT invoice_year_fkey FOREIGN KEY (year) REFERENCES invoice_year(year),
  CONSTRAINT invoice_amount_toman_check CHECK (amount_toman > 0),
  CONSTRAINT invoice_check CHECK (vat_toman >= 0 AND vat_toman < amount_toman),
  CONSTRAINT invoice_kind_check CHECK (kind = ANY (ARRAY['receipt'::text, 'refund'::text, 'reversal'::text, 'plan'::text, 'plan_credit'::text, 'usage'::text])),
  CONSTRAINT invoice_number_check CHECK (number > 0),
  CONSTRAINT invoice_only_notes_correct CHECK (corrects IS NULL OR (kind = ANY (ARRAY['refund'::text, 'reversal'::text, 'plan_credit'::text]))),
  CONSTRAINT invoice_vat_only_of_services CHECK (vat_toman = 0 OR (kind = ANY (ARRAY['plan'::text, 'plan_credit'::text, 'usage'::text]))),
  CONSTRAINT invoice_vat_percent_check CHECK (vat_percent >= 0 AND vat_percent <= 50)
);
CREATE INDEX invoice_by_time ON invoice USING btree (issued_at);
CREATE INDEX invoice_by_user ON invoice USING btree (user_id, year DESC, number DESC);

CREATE TABLE invoice_year (
  year smallint NOT NULL,
  last_number integer NOT NULL,
  CONSTRAINT invoice_year_pkey PRIMARY KEY (year),
  CONSTRAINT invoice_year_last_number_check CHECK (last_number > 0)
);

CREATE TABLE invoiced_month (
  month text NOT NULL,
  vat_toman bigint NOT NULL,
  invoiced_at timestamptz NOT NULL,
  CONSTRAINT invoiced_month_pkey PRIMARY KEY (month),
  CONSTRAINT invoiced_month_month_check CHECK (month ~ '^1[34]\d\d-(0[1-9]|1[0-2])$'::text),
  CONSTRAINT invoiced_month_vat_toman_check CHECK (vat_toman >= 0)
);

CREATE TABLE known_device (
  user_id uuid NOT NULL,
  device_hash bytea NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT known_device_pkey PRIMARY KEY (user_id, device_hash),
  CONSTRAINT known_device_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX known_device_by_age ON known_device USING btree (last_seen_at);
CREATE INDEX known_device_by_hash ON known_device USING btree (device_hash);

CREATE TABLE ledger_account (
  id uuid NOT NULL,
  kind text NOT NULL,
  owner_id uuid,
  code text NOT NULL,
  balance bigint,
  version bigint,
  floor bigint,
  created_at timestamptz NOT NULL,
  reserved bigint NOT NULL DEFAULT 0,
  CONSTRAINT ledger_account_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_account_code_key UNIQUE (code),
  CONSTRAINT ledger_account_floor CHECK ((balance - reserved) >= floor),
  CONSTRAINT ledger_account_house_has_no_balance CHECK ((kind = 'house'::text) = (balance IS NULL)),
  CONSTRAINT ledger_account_house_has_no_owner CHECK ((kind = 'house'::text) = (owner_id IS NULL)),
  CONSTRAINT ledger_account_house_has_no_version CHECK ((kind = 'house'::text) = (version IS NULL)),
  CONSTRAINT ledger_account_kind_check CHECK (kind = ANY (ARRAY['user_wallet'::text, 'user_lease'::text, 'house'::text])),
  CONSTRAINT ledger_account_reserved CHECK (reserved >= 0 AND (reserved = 0 OR kind = 'user_wallet'::text))
) WITH (fillfactor=70);
CREATE UNIQUE INDEX ledger_account_owner ON ledger_account USING btree (owner_id, kind) WHERE (owner_id IS NOT NULL);

CREATE TABLE ledger_entry (
  transfer_id uuid NOT NULL,
  account_id uuid NOT NULL,
  amount bigint NOT NULL,
  account_version bigint,
  balance_after bigint,
  CONSTRAINT ledger_entry_pkey PRIMARY KEY (transfer_id, account_id),
  CONSTRAINT ledger_entry_amount_not_zero CHECK (amount <> 0),
  CONSTRAINT ledger_entry_version_has_balance CHECK ((account_version IS NULL) = (balance_after IS NULL))
);
CREATE INDEX ledger_entry_house ON ledger_entry USING btree (account_id) WHERE (account_version IS NULL);
CREATE UNIQUE INDEX ledger_entry_version ON ledger_entry USING btree (account_id, account_version) WHERE (account_version IS NOT NULL);

CREATE TABLE ledger_proof (
  part text NOT NULL,
  started_at timestamptz NOT NULL,
  ended_at timestamptz NOT NULL,
  proved_at timestamptz,
  violated text[] NOT NULL,
  CONSTRAINT ledger_proof_pkey PRIMARY KEY (part),
  CONSTRAINT ledger_proof_check CHECK (ended_at >= started_at),
  CONSTRAINT ledger_proof_part_check CHECK ((part = ANY (ARRAY['new'::text, 'whole'::text])) OR part ~ '^1[34]\d\d-(0[1-9]|1[0-2])$'::text)
);

CREATE TABLE ledger_transfer (
  id uuid NOT NULL,
  kind text NOT NULL,
  source_type text NOT NULL,
  source_id text NOT NULL,
  purpose text NOT NULL,
  created_at timestamptz NOT NULL,
  booked_on date NOT NULL,
  fact_day date,
  CONSTRAINT ledger_transfer_pkey PRIMARY KEY (id),
  CONSTRAINT ledger_transfer_source_type_source_id_purpose_key UNIQUE (source_type, source_id, purpose)
);
CREATE INDEX ledger_transfer_by_day ON ledger_transfer USING btree (booked_on);
CREATE INDEX ledger_transfer_late ON ledger_transfer USING btree (booked_on) WHERE (fact_day IS NOT NULL);

CREATE TABLE low_balance_baseline (
  user_id uuid NOT NULL,
  baseline_toman bigint NOT NULL,
  cause text NOT NULL,
  warned_percent smallint NOT NULL DEFAULT 100,
  CONSTRAINT low_balance_baseline_pkey PRIMARY KEY (user_id),
  CONSTRAINT low_balance_baseline_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT low_balance_baseline_positive CHECK (baseline_toman > 0)
);

CREATE TABLE meter (
  config_id uuid NOT NULL,
  user_id uuid NOT NULL,
  node_id uuid NOT NULL,
  generation bigint NOT NULL,
  epoch text,
  epoch_up bigint NOT NULL DEFAULT 0,
  epoch_down bigint NOT NULL DEFAULT 0,
  total_up bigint NOT NULL DEFAULT 0,
  total_down bigint NOT NULL DEFAULT 0,
  billed_bytes bigint NOT NULL DEFAULT 0,
  unbilled_bytes bigint NOT NULL DEFAULT 0,
  lease_version integer NOT NULL DEFAULT 0,
  lease_limit_bytes bigint NOT NULL DEFAULT 0,
  lease_shrink_to bigint,
  lease_grant_bytes bigint NOT NULL DEFAULT 0,
  segment_start bigint NOT NULL DEFAULT 0,
  segment_price bigint NOT NULL DEFAULT 0,
  hour_start timestamptz,
  hour_up bigint NOT NULL DEFAULT 0,
  hour_down bigint NOT NULL DEFAULT 0,
  hour_charged bigint NOT NULL DEFAULT 0,
  past_hour timestamptz,
  past_up bigint NOT NULL DEFAULT 0,
  past_down bigint NOT NULL DEFAULT 0,
  past_charged bigint NOT NULL DEFAULT 0,
  throughput_up bigint NOT NULL DEFAULT 0,
  throughput_down bigint NOT NULL DEFAULT 0,
  sampled_at timestamptz,
  last_used_at timestamptz,
  final boolean NOT NULL DEFAULT false,
  segment_subscription_id uuid,
  unbooked_toman bigint NOT NULL DEFAULT 0,
  due_toman bigint NOT NULL DEFAULT 0,
  is_replaced boolean NOT NULL DEFAULT false,
  lease_recalled_limit bigint,
  unpaid_bytes bigint NOT NULL DEFAULT 0,
  trial_bytes bigint NOT NULL DEFAULT 0,
  unbooked_since timestamptz,
  cap_bytes bigint,
  cap_from date,
  cap_end_bytes bigint,
  lease_rate bigint NOT NULL DEFAULT 0,
  lease_short boolean NOT NULL DEFAULT false,
  reading_billed bigint NOT NULL DEFAULT 0,
  reading_beyond boolean NOT NULL DEFAULT false,
  reading_unknown boolean NOT NULL DEFAULT false,
  CONSTRAINT meter_pkey PRIMARY KEY (config_id),
  CONSTRAINT meter_config_id_fkey FOREIGN KEY (config_id) REFERENCES config(id),
  CONSTRAINT meter_segment_subscription_id_fkey FOREIGN KEY (segment_subscription_id) REFERENCES subscription(id),
  CONSTRAINT meter_billed_within_lease CHECK (billed_bytes <= lease_limit_bytes),
  CONSTRAINT meter_cap_bytes_check CHECK (cap_bytes > 0),
  CONSTRAINT meter_cap_is_whole CHECK ((cap_bytes IS NULL) = (cap_from IS NULL) AND (cap_bytes IS NULL) = (cap_end_bytes IS NULL)),
  CONSTRAINT meter_epoch_not_negative CHECK (epoch_up >= 0 AND epoch_down >= 0),
  CONSTRAINT meter_unbooked_has_hour CHECK ((unbooked_toman > 0) = (unbooked_since IS NOT NULL)),
  CONSTRAINT meter_unbooked_not_negative CHECK (unbooked_toman >= 0),
  CONSTRAINT meter_unpaid_not_negative CHECK (unpaid_bytes >= 0)
) WITH (fillfactor=60);
CREATE INDEX meter_by_segment_subscription ON meter USING btree (segment_subscription_id) WHERE (segment_subscription_id IS NOT NULL);
CREATE INDEX meter_by_user ON meter USING btree (user_id);
CREATE INDEX meter_capped ON meter USING btree (config_id) WHERE ((cap_bytes IS NOT NULL) AND (NOT final));
CREATE INDEX meter_changes ON meter USING btree (node_id, generation);
CREATE INDEX meter_unbooked ON meter USING btree (unbooked_since) WHERE (unbooked_since IS NOT NULL);

CREATE TABLE meter_epoch (
  config_id uuid NOT NULL,
  epoch text NOT NULL,
  up bigint NOT NULL,
  down bigint NOT NULL,
  CONSTRAINT meter_epoch_pkey PRIMARY KEY (config_id, epoch),
  CONSTRAINT meter_epoch_config_id_fkey FOREIGN KEY (config_id) REFERENCES config(id)
);

CREATE TABLE meter_sweep (
  name text NOT NULL,
  after_id uuid,
  CONSTRAINT meter_sweep_pkey PRIMARY KEY (name)
);

CREATE TABLE node (
  id uuid NOT NULL,
  name text NOT NULL,
  country text NOT NULL,
  city text NOT NULL,
  address text,
  wireguard_port integer NOT NULL,
  status text NOT NULL DEFAULT 'active'::text,
  generation bigint NOT NULL DEFAULT 0,
  registration integer NOT NULL DEFAULT 0,
  signing_key text,
  wireguard_public_key text,
  next_slot integer NOT NULL DEFAULT 2,
  address_limit integer NOT NULL,
  epoch text,
  created_at timestamptz NOT NULL,
  openvpn_port integer NOT NULL DEFAULT 1194,
  former_signing_key text,
  retires_at timestamptz,
  moves_to uuid,
  monthly_cap_gb integer,
  cost_usd_micros_per_gb bigint,
  capped_until timestamptz,
  desired_agent_sha256 text,
  openvpn_tcp_website text,
  snapshot_below bigint NOT NULL DEFAULT 0,
  openconnect_port integer,
  openconnect_udp boolean NOT NULL DEFAULT true,
  proxy_url text,
  CONSTRAINT node_pkey PRIMARY KEY (id),
  CONSTRAINT node_name_key UNIQUE (name),
  CONSTRAINT node_moves_to_fkey FOREIGN KEY (moves_to) REFERENCES node(id),
  CONSTRAINT node_cost_usd_micros_per_gb_check CHECK (cost_usd_micros_per_gb >= 0),
  CONSTRAINT node_country_check CHECK (country ~ '^[A-Z]{2}$'::text),
  CONSTRAINT node_desired_agent_sha256_check CHECK (desired_agent_sha256 ~ '^[0-9a-f]{64}$'::text),
  CONSTRAINT node_monthly_cap_gb_check CHECK (monthly_cap_gb > 0),
  CONSTRAINT node_status_check CHECK (status = ANY (ARRAY['active'::text, 'inactive'::text, 'draining'::text, 'retired'::text, 'revoked'::text]))
) WITH (fillfactor=50);

CREATE TABLE node_anomaly (
  node_id uuid NOT NULL,
  kind text NOT NULL,
  occurrences bigint NOT NULL,
  last_at timestamptz NOT NULL,
  CONSTRAINT node_anomaly_pkey PRIMARY KEY (node_id, kind),
  CONSTRAINT node_anomaly_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id),
  CONSTRAINT node_anomaly_kind_check CHECK (kind = ANY (ARRAY['cloned'::text, 'foreign_configs'::text, 'beyond_lease'::text, 'unknown_leases'::text, 'beyond_link'::text, 'impossible_numbers'::text, 'former_machine'::text])),
  CONSTRAINT node_anomaly_occurrences_positive CHECK (occurrences > 0)
);

CREATE TABLE node_certificate (
  node_id uuid NOT NULL,
  protocol text NOT NULL,
  public_key text NOT NULL,
  certificate text NOT NULL,
  ends_at timestamptz NOT NULL,
  names text[] NOT NULL DEFAULT '{}'::text[],
  CONSTRAINT node_certificate_pkey PRIMARY KEY (node_id, protocol),
  CONSTRAINT node_certificate_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
);

CREATE TABLE node_certificate_authority (
  node_id uuid NOT NULL,
  certificate text NOT NULL,
  private_key_sealed text NOT NULL,
  tls_crypt_key_sealed text NOT NULL,
  CONSTRAINT node_certificate_authority_pkey PRIMARY KEY (node_id),
  CONSTRAINT node_certificate_authority_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
);

CREATE TABLE node_enrolment (
  token_hash bytea NOT NULL,
  node_id uuid NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CONSTRAINT node_enrolment_pkey PRIMARY KEY (token_hash),
  CONSTRAINT node_enrolment_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
);

CREATE TABLE node_epoch (
  node_id uuid NOT NULL,
  epoch text NOT NULL,
  last_seq bigint NOT NULL,
  last_hash text NOT NULL,
  CONSTRAINT node_epoch_pkey PRIMARY KEY (node_id, epoch),
  CONSTRAINT node_epoch_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
) WITH (fillfactor=50);

CREATE TABLE node_month (
  node_id uuid NOT NULL,
  month date NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT node_month_pkey PRIMARY KEY (node_id, month),
  CONSTRAINT node_month_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id),
  CONSTRAINT node_month_bytes_check CHECK (bytes >= 0)
) WITH (fillfactor=50);

CREATE TABLE node_presence (
  node_id uuid NOT NULL,
  seen_at timestamptz NOT NULL,
  applied_generation bigint NOT NULL DEFAULT 0,
  load real NOT NULL DEFAULT 0,
  tunnels_up boolean NOT NULL DEFAULT false,
  agent_version text NOT NULL DEFAULT ''::text,
  unmetered_upper_bound_bytes bigint NOT NULL DEFAULT 0,
  ping_ms real,
  pinged_at timestamptz,
  polled_at timestamptz,
  exit_ipv4 text,
  exit_ipv6 text,
  protocols text[] NOT NULL DEFAULT '{wireguard}'::text[],
  block_list_names integer NOT NULL DEFAULT 0,
  clock_offset_ms integer,
  disk_free_bytes bigint,
  disk_total_bytes bigint,
  ahead_of_link_bytes bigint NOT NULL DEFAULT 0,
  ahead_of_link_at timestamptz,
  release_refusal text,
  wireguard_ports integer[],
  wireguard_backend text,
  openvpn_tcp boolean,
  openconnect boolean,
  proxy text,
  CONSTRAINT node_presence_pkey PRIMARY KEY (node_id),
  CONSTRAINT node_presence_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id)
) WITH (fillfactor=50);

CREATE TABLE notification (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  cause text NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  read_at timestamptz,
  deleted_at timestamptz,
  CONSTRAINT notification_pkey PRIMARY KEY (id),
  CONSTRAINT notification_user_id_kind_cause_key UNIQUE (user_id, kind, cause),
  CONSTRAINT notification_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX notification_by_age ON notification USING btree (created_at) WHERE ((kind <> ALL ('{welcome,account_activated,config_live,service_cut,service_restored}'::text[])) OR (data <> '{}'::jsonb) OR (deleted_at IS NULL));
CREATE INDEX notification_shown ON notification USING btree (user_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

CREATE TABLE passkey (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  credential_id text NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  name text NOT NULL,
  is_second_step boolean NOT NULL DEFAULT false,
  backed_up boolean NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz,
  CONSTRAINT passkey_pkey PRIMARY KEY (id),
  CONSTRAINT passkey_credential_id_key UNIQUE (credential_id),
  CONSTRAINT passkey_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX passkey_by_user ON passkey USING btree (user_id, created_at);

CREATE TABLE passkey_challenge (
  challenge text NOT NULL,
  purpose text NOT NULL,
  requester text NOT NULL,
  user_id uuid,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT passkey_challenge_pkey PRIMARY KEY (challenge),
  CONSTRAINT passkey_challenge_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT passkey_challenge_purpose_check CHECK (purpose = ANY (ARRAY['enrol'::text, 'sign-in'::text, 'second-step'::text, 'confirm'::text]))
);
CREATE INDEX passkey_challenge_by_age ON passkey_challenge USING btree (expires_at);
CREATE INDEX passkey_challenge_by_user ON passkey_challenge USING btree (user_id) WHERE (user_id IS NOT NULL);

CREATE TABLE password_reset (
  token_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  CONSTRAINT password_reset_pkey PRIMARY KEY (token_hash),
  CONSTRAINT password_reset_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX password_reset_by_age ON password_reset USING btree (created_at);
CREATE INDEX password_reset_by_user ON password_reset USING btree (user_id);

CREATE TABLE payment (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  gateway text NOT NULL,
  amount_toman bigint NOT NULL,
  state text NOT NULL,
  gateway_reference text,
  ref_id text,
  card_mask text,
  payment_url text,
  failure text,
  evidence jsonb,
  next_check_at timestamptz,
  checks integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  settled_at timestamptz,
  CONSTRAINT payment_pkey PRIMARY KEY (id),
  CONSTRAINT payment_gateway_ref_id_key UNIQUE (gateway, ref_id),
  CONSTRAINT payment_gateway_reference_key UNIQUE (gateway, gateway_reference),
  CONSTRAINT payment_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT payment_amount_toman_check CHECK (amount_toman > 0),
  CONSTRAINT payment_completed_has_evidence CHECK (state <> 'completed'::text OR evidence IS NOT NULL AND ref_id IS NOT NULL AND settled_at IS NOT NULL),
  CONSTRAINT payment_state_check CHECK (state = ANY (ARRAY['created'::text, 'redirected'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'needs_review'::text]))
);
CREATE INDEX payment_by_credit ON payment USING btree (gateway, settled_at) WHERE (state = 'completed'::text);
CREATE INDEX payment_by_state ON payment USING btree (gateway, state, id);
CREATE INDEX payment_by_user ON payment USING btree (user_id, created_at DESC);
CREATE INDEX payment_settled ON payment USING btree (settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX payment_to_check ON payment USING btree (next_check_at) WHERE (next_check_at IS NOT NULL);
CREATE INDEX payment_to_review ON payment USING btree (id) WHERE (state = 'needs_review'::text);
CREATE INDEX payment_waiting ON payment USING btree (id) WHERE ((state = 'needs_review'::text) OR ((state = ANY (ARRAY['created'::text, 'redirected'::text])) AND (gateway_reference IS NOT NULL) AND (next_check_at IS NULL)));

CREATE TABLE payment_reversal (
  payment_id uuid NOT NULL,
  user_id uuid NOT NULL,
  amount_toman bigint NOT NULL,
  owed_toman bigint NOT NULL,
  evidence jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT payment_reversal_pkey PRIMARY KEY (payment_id),
  CONSTRAINT payment_reversal_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id),
  CONSTRAINT payment_reversal_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT payment_reversal_amount_toman_check CHECK (amount_toman > 0),
  CONSTRAINT payment_reversal_owed_within_amount CHECK (owed_toman >= 0 AND owed_toman <= amount_toman)
);
CREATE INDEX payment_reversal_owed ON payment_reversal USING btree (user_id) WHERE (owed_toman > 0);

CREATE TABLE pending_sign_in (
  token_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  method text NOT NULL,
  session_days integer NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT pending_sign_in_pkey PRIMARY KEY (token_hash),
  CONSTRAINT pending_sign_in_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX pending_sign_in_by_age ON pending_sign_in USING btree (expires_at);
CREATE INDEX pending_sign_in_by_user ON pending_sign_in USING btree (user_id);

CREATE TABLE phone_challenge (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  phone text NOT NULL,
  code_hmac bytea NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  used_at timestamptz,
  replaced_at timestamptz,
  CONSTRAINT phone_challenge_pkey PRIMARY KEY (id),
  CONSTRAINT phone_challenge_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX phone_challenge_by_age ON phone_challenge USING btree (created_at);
CREATE INDEX phone_challenge_by_phone ON phone_challenge USING btree (phone, created_at DESC);
CREATE INDEX phone_challenge_by_user ON phone_challenge USING btree (user_id, created_at DESC);

CREATE TABLE plan (
  id text NOT NULL,
  name_fa text NOT NULL,
  name_en text NOT NULL,
  price_toman bigint NOT NULL,
  original_price_toman bigint,
  duration_days integer NOT NULL,
  traffic_limit_bytes bigint,
  max_devices integer NOT NULL,
  is_popular boolean NOT NULL DEFAULT false,
  is_on boolean NOT NULL DEFAULT true,
  position integer NOT NULL DEFAULT 0,
  version_id uuid,
  revision integer NOT NULL DEFAULT 1,
  CONSTRAINT plan_pkey PRIMARY KEY (id),
  CONSTRAINT plan_duration_days_check CHECK (duration_days >= 1 AND duration_days <= 3660),
  CONSTRAINT plan_id_check CHECK (id ~ '^[a-z][a-z0-9-]{0,30}$'::text),
  CONSTRAINT plan_max_devices_check CHECK (max_devices > 0),
  CONSTRAINT plan_original_price_above_price CHECK (original_price_toman > price_toman),
  CONSTRAINT plan_price_toman_check CHECK (price_toman >= 0),
  CONSTRAINT plan_traffic_limit_bytes_check CHECK (traffic_limit_bytes > 0)
);

CREATE TABLE plan_sum (
  plan_id text NOT NULL,
  version_id uuid,
  sold bigint NOT NULL,
  running bigint NOT NULL,
  cancelled bigint NOT NULL,
  paid_toman bigint NOT NULL,
  credited_toman bigint NOT NULL,
  CONSTRAINT plan_sum_one_row UNIQUE NULLS NOT DISTINCT (plan_id, version_id),
  CONSTRAINT plan_sum_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plan(id),
  CONSTRAINT plan_sum_version_id_fkey FOREIGN KEY (version_id) REFERENCES plan_version(id)
);

CREATE TABLE plan_sum_change (
  id bigint NOT NULL,
  at timestamptz NOT NULL,
  plan_id text NOT NULL,
  version_id uuid,
  sold bigint NOT NULL,
  running bigint NOT NULL,
  cancelled bigint NOT NULL,
  paid_toman bigint NOT NULL,
  credited_toman bigint NOT NULL,
  CONSTRAINT plan_sum_change_pkey PRIMARY KEY (id)
);
CREATE INDEX plan_sum_change_due ON plan_sum_change USING btree (at);

CREATE TABLE plan_version (
  id uuid NOT NULL,
  plan_id text NOT NULL,
  price_toman bigint NOT NULL,
  original_price_toman bigint,
  duration_days integer NOT NULL,
  traffic_limit_bytes bigint,
  max_devices integer NOT NULL,
  valid_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  created_by uuid,
  reason text,
  cancelled_at timestamptz,
  cancelled_by uuid,
  max_mbit integer,
  CONSTRAINT plan_version_pkey PRIMARY KEY (id),
  CONSTRAINT plan_version_cancelled_by_fkey FOREIGN KEY (cancelled_by) REFERENCES staff_member(user_id),
  CONSTRAINT plan_version_created_by_fkey FOREIGN KEY (created_by) REFERENCES staff_member(user_id),
  CONSTRAINT plan_version_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plan(id),
  CONSTRAINT plan_version_cancelled_by_somebody CHECK (cancelled_by IS NULL OR cancelled_at IS NOT NULL),
  CONSTRAINT plan_version_cancelled_in_time CHECK (cancelled_at < valid_from),
  CONSTRAINT plan_version_duration_days_check CHECK (duration_days >= 1 AND duration_days <= 3660),
  CONSTRAINT plan_version_holds_from_its_making CHECK (valid_from >= created_at),
  CONSTRAINT plan_version_max_devices_check CHECK (max_devices > 0),
  CONSTRAINT plan_version_max_mbit_check CHECK (max_mbit >= 1 AND max_mbit <= 10000),
  CONSTRAINT plan_version_original_price_above_price CHECK (original_price_toman > price_toman),
  CONSTRAINT plan_version_price_toman_check CHECK (price_toman >= 0),
  CONSTRAINT plan_version_traffic_limit_bytes_check CHECK (traffic_limit_bytes > 0)
);
CREATE UNIQUE INDEX plan_version_by_moment ON plan_version USING btree (plan_id, valid_from) WHERE (cancelled_at IS NULL);

CREATE TABLE preference (
  user_id uuid NOT NULL,
  email_notifications boolean NOT NULL DEFAULT true,
  sms_notifications boolean NOT NULL DEFAULT false,
  auto_connect boolean NOT NULL DEFAULT false,
  language text NOT NULL DEFAULT 'fa'::text,
  theme text NOT NULL DEFAULT 'auto'::text,
  mail_kinds text[],
  CONSTRAINT preference_pkey PRIMARY KEY (user_id),
  CONSTRAINT preference_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT preference_language_check CHECK (language = ANY (ARRAY['fa'::text, 'en'::text])),
  CONSTRAINT preference_theme_check CHECK (theme = ANY (ARRAY['dark'::text, 'light'::text, 'auto'::text]))
);

CREATE TABLE price_segment (
  config_id uuid NOT NULL,
  start_byte bigint NOT NULL,
  end_byte bigint NOT NULL,
  price bigint NOT NULL,
  subscription_id uuid,
  CONSTRAINT price_segment_pkey PRIMARY KEY (config_id, start_byte),
  CONSTRAINT price_segment_config_id_fkey FOREIGN KEY (config_id) REFERENCES config(id),
  CONSTRAINT price_segment_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES subscription(id),
  CONSTRAINT price_segment_not_empty CHECK (end_byte > start_byte)
);
CREATE INDEX price_segment_by_subscription ON price_segment USING btree (subscription_id) WHERE (subscription_id IS NOT NULL);

CREATE TABLE price_version (
  id uuid NOT NULL,
  usd_cents_per_gb integer NOT NULL,
  valid_from timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  created_by uuid,
  reason text,
  cancelled_at timestamptz,
  cancelled_by uuid,
  CONSTRAINT price_version_pkey PRIMARY KEY (id),
  CONSTRAINT price_version_cancelled_by_fkey FOREIGN KEY (cancelled_by) REFERENCES staff_member(user_id),
  CONSTRAINT price_version_created_by_fkey FOREIGN KEY (created_by) REFERENCES staff_member(user_id),
  CONSTRAINT price_version_cancelled_by_somebody CHECK (cancelled_by IS NULL OR cancelled_at IS NOT NULL),
  CONSTRAINT price_version_cancelled_in_time CHECK (cancelled_at < valid_from),
  CONSTRAINT price_version_holds_from_its_making CHECK (valid_from >= created_at),
  CONSTRAINT price_version_usd_cents_per_gb_check CHECK (usd_cents_per_gb >= 0 AND usd_cents_per_gb <= 100000)
);
CREATE UNIQUE INDEX price_version_by_moment ON price_version USING btree (valid_from) WHERE (cancelled_at IS NULL);

CREATE TABLE push_subscription (
  session_id uuid NOT NULL,
  endpoint_mark bytea NOT NULL,
  subscription_sealed text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT push_subscription_pkey PRIMARY KEY (session_id),
  CONSTRAINT push_subscription_endpoint_mark_key UNIQUE (endpoint_mark),
  CONSTRAINT push_subscription_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE
);
CREATE INDEX push_subscription_by_age ON push_subscription USING btree (expires_at);

CREATE TABLE reach_cell (
  network bigint NOT NULL,
  grain text NOT NULL,
  begins timestamptz NOT NULL,
  transport text NOT NULL,
  port integer NOT NULL,
  attempts bigint NOT NULL,
  through bigint NOT NULL,
  answers bigint NOT NULL,
  connected bigint NOT NULL,
  CONSTRAINT reach_cell_pkey PRIMARY KEY (network, grain, begins, transport, port),
  CONSTRAINT reach_cell_check CHECK (through <= attempts),
  CONSTRAINT reach_cell_check1 CHECK (connected <= answers),
  CONSTRAINT reach_cell_grain_check CHECK (grain = ANY (ARRAY['hour'::text, 'day'::text]))
);
CREATE INDEX reach_cell_by_age ON reach_cell USING btree (grain, begins);

CREATE TABLE reach_open (
  hour timestamptz NOT NULL,
  network bigint NOT NULL,
  transport text NOT NULL,
  port integer NOT NULL,
  node_id uuid,
  attempts bigint NOT NULL,
  through bigint NOT NULL,
  CONSTRAINT reach_open_hour_network_transport_port_node_id_key UNIQUE NULLS NOT DISTINCT (hour, network, transport, port, node_id)
);

CREATE TABLE recovery_code (
  user_id uuid NOT NULL,
  code_hmac bytea NOT NULL,
  created_at timestamptz NOT NULL,
  used_at timestamptz,
  CONSTRAINT recovery_code_pkey PRIMARY KEY (user_id, code_hmac),
  CONSTRAINT recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE refresh_token (
  token_hash bytea NOT NULL,
  session_id uuid NOT NULL,
  generation integer NOT NULL,
  rotated_at timestamptz,
  replacement_sealed text,
  CONSTRAINT refresh_token_pkey PRIMARY KEY (token_hash),
  CONSTRAINT refresh_token_session_id_generation_key UNIQUE (session_id, generation),
  CONSTRAINT refresh_token_session_id_fkey FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE
);

CREATE TABLE refund (
  id uuid NOT NULL,
  payment_id uuid NOT NULL,
  user_id uuid NOT NULL,
  gateway text NOT NULL,
  amount_toman bigint NOT NULL,
  route text NOT NULL,
  state text NOT NULL,
  reason text NOT NULL DEFAULT ''::text,
  tracking text,
  failure text,
  operator text,
  evidence jsonb,
  next_check_at timestamptz,
  checks integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  sent_at timestamptz,
  settled_at timestamptz,
  unrepeatable_call_at timestamptz,
  CONSTRAINT refund_pkey PRIMARY KEY (id),
  CONSTRAINT refund_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payment(id),
  CONSTRAINT refund_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT refund_amount_toman_check CHECK (amount_toman > 0),
  CONSTRAINT refund_confirmed_has_evidence CHECK (state <> 'confirmed'::text OR evidence IS NOT NULL),
  CONSTRAINT refund_route_check CHECK (route = ANY (ARRAY['gateway'::text, 'hand'::text])),
  CONSTRAINT refund_settled_has_time CHECK ((state = ANY (ARRAY['confirmed'::text, 'failed'::text])) = (settled_at IS NOT NULL)),
  CONSTRAINT refund_state_check CHECK (state = ANY (ARRAY['requested'::text, 'sent'::text, 'confirmed'::text, 'failed'::text, 'unknown'::text]))
);
CREATE INDEX refund_by_payment ON refund USING btree (payment_id, created_at DESC);
CREATE INDEX refund_by_user ON refund USING btree (user_id);
CREATE UNIQUE INDEX refund_live ON refund USING btree (payment_id) WHERE (state <> 'failed'::text);
CREATE INDEX refund_open ON refund USING btree (id) WHERE (state = ANY (ARRAY['requested'::text, 'sent'::text, 'unknown'::text]));
CREATE INDEX refund_settled ON refund USING btree (settled_at) WHERE (settled_at IS NOT NULL);
CREATE INDEX refund_to_check ON refund USING btree (next_check_at) WHERE (next_check_at IS NOT NULL);

CREATE TABLE refused_webhook (
  store text NOT NULL,
  reason text NOT NULL,
  hour timestamptz NOT NULL,
  count bigint NOT NULL,
  last_at timestamptz NOT NULL,
  CONSTRAINT refused_webhook_pkey PRIMARY KEY (store, reason, hour),
  CONSTRAINT refused_webhook_count_positive CHECK (count > 0),
  CONSTRAINT refused_webhook_reason_known CHECK (reason = ANY (ARRAY['unsigned'::text, 'wrong_signature'::text, 'too_old'::text, 'unknown_visit'::text, 'unusable_code'::text, 'repeated'::text]))
);
CREATE INDEX refused_webhook_by_age ON refused_webhook USING btree (hour);

CREATE TABLE relay (
  id uuid NOT NULL,
  name text NOT NULL,
  node_id uuid NOT NULL,
  address4 text,
  address6 text,
  exit4 text,
  exit6 text,
  created_at timestamptz NOT NULL,
  tried_at timestamptz,
  heard4_at timestamptz,
  heard6_at timestamptz,
  round_trip_ms real,
  CONSTRAINT relay_pkey PRIMARY KEY (id),
  CONSTRAINT relay_address4_key UNIQUE (address4),
  CONSTRAINT relay_address6_key UNIQUE (address6),
  CONSTRAINT relay_name_key UNIQUE (name),
  CONSTRAINT relay_node_id_fkey FOREIGN KEY (node_id) REFERENCES node(id),
  CONSTRAINT relay_has_an_address CHECK (num_nonnulls(address4, address6) > 0),
  CONSTRAINT relay_has_an_exit CHECK ((address4 IS NULL) = (exit4 IS NULL) AND (address6 IS NULL) = (exit6 IS NULL))
);
CREATE INDEX relay_by_node ON relay USING btree (node_id);

CREATE TABLE schedule_run (
  name text NOT NULL,
  ended_at timestamptz NOT NULL,
  CONSTRAINT schedule_run_pkey PRIMARY KEY (name)
);

CREATE TABLE service_stop (
  user_id uuid NOT NULL,
  cause text NOT NULL,
  stopped_at timestamptz NOT NULL,
  restored_at timestamptz,
  opened_at timestamptz,
  CONSTRAINT service_stop_pkey PRIMARY KEY (user_id),
  CONSTRAINT service_stop_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT service_stop_cause_check CHECK (cause = ANY (ARRAY['money'::text, 'plan'::text, 'trial'::text])),
  CONSTRAINT service_stop_opens_after_restore CHECK (opened_at IS NULL OR restored_at IS NOT NULL)
);

CREATE TABLE session (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  generation integer NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  ended_at timestamptz,
  end_reason text,
  device text NOT NULL DEFAULT ''::text,
  method text NOT NULL DEFAULT 'code'::text,
  CONSTRAINT session_pkey PRIMARY KEY (id),
  CONSTRAINT session_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT session_method_check CHECK (method = ANY (ARRAY['code'::text, 'password'::text, 'google'::text, 'github'::text, 'passkey'::text]))
);
CREATE INDEX session_by_age ON session USING btree (COALESCE(ended_at, expires_at));
CREATE INDEX session_by_user ON session USING btree (user_id) WHERE (ended_at IS NULL);
CREATE INDEX session_by_user_and_time ON session USING btree (user_id, created_at DESC);

CREATE TABLE setting (
  key text NOT NULL,
  value jsonb NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT setting_pkey PRIMARY KEY (key)
);

CREATE TABLE settled_item (
  kind text NOT NULL,
  item_id uuid NOT NULL,
  gateway text NOT NULL,
  amount_toman bigint NOT NULL,
  booking_id uuid NOT NULL,
  line_id uuid,
  CONSTRAINT settled_item_pkey PRIMARY KEY (kind, item_id),
  CONSTRAINT settled_item_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES settlement_booking(id),
  CONSTRAINT settled_item_line_id_fkey FOREIGN KEY (line_id) REFERENCES settlement_line(id),
  CONSTRAINT settled_item_check CHECK ((kind = 'payment'::text) = (amount_toman > 0) AND amount_toman <> 0),
  CONSTRAINT settled_item_kind_check CHECK (kind = ANY (ARRAY['payment'::text, 'refund'::text, 'reversal'::text]))
);
CREATE INDEX settled_item_by_booking ON settled_item USING btree (booking_id);

CREATE TABLE settlement_booking (
  id uuid NOT NULL,
  gateway text NOT NULL,
  payout text NOT NULL,
  kind text NOT NULL,
  clearing_toman bigint NOT NULL,
  bank_toman bigint NOT NULL,
  fee_toman bigint NOT NULL,
  difference_toman bigint NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT settlement_booking_pkey PRIMARY KEY (id),
  CONSTRAINT settlement_booking_balances CHECK (clearing_toman = (bank_toman + fee_toman + difference_toman)),
  CONSTRAINT settlement_booking_kind_check CHECK (kind = ANY (ARRAY['payout'::text, 'resolution'::text]))
);
CREATE INDEX settlement_booking_by_payout ON settlement_booking USING btree (gateway, payout);

CREATE TABLE settlement_coverage (
  gateway text NOT NULL,
  covered_from date,
  covered_to date,
  judged_from timestamptz,
  judged_until timestamptz,
  CONSTRAINT settlement_coverage_pkey PRIMARY KEY (gateway)
);

CREATE TABLE settlement_difference (
  id uuid NOT NULL,
  gateway text NOT NULL,
  kind text NOT NULL,
  line_id uuid,
  item_kind text,
  item_id uuid,
  payment_id uuid,
  amount_toman bigint,
  state text NOT NULL DEFAULT 'open'::text,
  opened_at timestamptz NOT NULL,
  closed_at timestamptz,
  solved_by text,
  reason text,
  operator text,
  actor text,
  booking_id uuid,
  CONSTRAINT settlement_difference_pkey PRIMARY KEY (id),
  CONSTRAINT settlement_difference_item_kind_item_id_key UNIQUE (item_kind, item_id),
  CONSTRAINT settlement_difference_line_id_key UNIQUE (line_id),
  CONSTRAINT settlement_difference_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES settlement_booking(id),
  CONSTRAINT settlement_difference_line_id_fkey FOREIGN KEY (line_id) REFERENCES settlement_line(id),
  CONSTRAINT settlement_difference_check CHECK ((line_id IS NULL) = (item_id IS NOT NULL) AND (item_kind IS NULL) = (item_id IS NULL)),
  CONSTRAINT settlement_difference_check1 CHECK ((state = 'open'::text) = (closed_at IS NULL)),
  CONSTRAINT settlement_difference_check2 CHECK ((state = 'solved'::text) = (solved_by IS NOT NULL)),
  CONSTRAINT settlement_difference_check3 CHECK ((state = 'resolved'::text) = (reason IS NOT NULL AND operator IS NOT NULL AND actor IS NOT NULL)),
  CONSTRAINT settlement_difference_item_kind_check CHECK (item_kind = ANY (ARRAY['payment'::text, 'refund'::text, 'reversal'::text])),
  CONSTRAINT settlement_difference_state_check CHECK (state = ANY (ARRAY['open'::text, 'solved'::text, 'resolved'::text]))
);
CREATE INDEX settlement_difference_open ON settlement_difference USING btree (gateway) WHERE (state = 'open'::text);

CREATE TABLE settlement_file (
  id uuid NOT NULL,
  gateway text NOT NULL,
  sha256 bytea NOT NULL,
  name text NOT NULL,
  lines integer NOT NULL,
  new_lines integer NOT NULL,
  covers_from date NOT NULL,
  covers_to date NOT NULL,
  actor text NOT NULL,
  imported_at timestamptz NOT NULL,
  CONSTRAINT settlement_file_pkey PRIMARY KEY (id),
  CONSTRAINT settlement_file_gateway_sha256_key UNIQUE (gateway, sha256),
  CONSTRAINT settlement_file_check CHECK (covers_from <= covers_to)
);

CREATE TABLE settlement_line (
  id uuid NOT NULL,
  gateway text NOT NULL,
  file_id uuid NOT NULL,
  line_number integer NOT NULL,
  digest bytea NOT NULL,
  occurrence integer NOT NULL,
  unreadable text,
  reference text,
  amount_rial bigint,
  fee_rial bigint,
  fee_toman bigint,
  payout text NOT NULL,
  day date,
  booking_id uuid,
  session text,
  CONSTRAINT settlement_line_pkey PRIMARY KEY (id),
  CONSTRAINT settlement_line_gateway_digest_occurrence_key UNIQUE (gateway, digest, occurrence),
  CONSTRAINT settlement_line_booking_id_fkey FOREIGN KEY (booking_id) REFERENCES settlement_booking(id),
  CONSTRAINT settlement_line_file_id_fkey FOREIGN KEY (file_id) REFERENCES settlement_file(id),
  CONSTRAINT settlement_line_check CHECK (booking_id IS NULL OR unreadable IS NULL),
  CONSTRAINT settlement_line_read CHECK ((unreadable IS NULL) = (reference IS NOT NULL AND amount_rial IS NOT NULL AND fee_rial IS NOT NULL AND fee_toman IS NOT NULL))
);
CREATE INDEX settlement_line_by_booking ON settlement_line USING btree (booking_id) WHERE (booking_id IS NOT NULL);
CREATE INDEX settlement_line_by_file ON settlement_line USING btree (file_id);
CREATE INDEX settlement_line_open ON settlement_line USING btree (gateway) WHERE (booking_id IS NULL);

CREATE TABLE social_identity (
  provider text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT social_identity_pkey PRIMARY KEY (provider, subject),
  CONSTRAINT social_identity_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX social_identity_by_user ON social_identity USING btree (user_id);

CREATE TABLE staff_member (
  user_id uuid NOT NULL,
  role text NOT NULL,
  added_at timestamptz NOT NULL,
  enrol_until timestamptz NOT NULL,
  disabled_at timestamptz,
  CONSTRAINT staff_member_pkey PRIMARY KEY (user_id),
  CONSTRAINT staff_member_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT staff_member_role_check CHECK (role = ANY (ARRAY['super_admin'::text, 'admin'::text, 'support'::text, 'finance'::text, 'auditor'::text]))
);

CREATE TABLE staff_session (
  id uuid NOT NULL,
  token_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  proved_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT staff_session_pkey PRIMARY KEY (id),
  CONSTRAINT staff_session_token_hash_key UNIQUE (token_hash),
  CONSTRAINT staff_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES staff_member(user_id)
);
CREATE INDEX staff_session_by_age ON staff_session USING btree (expires_at);
CREATE INDEX staff_session_by_user ON staff_session USING btree (user_id);

CREATE TABLE staff_sign_in (
  token_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT staff_sign_in_pkey PRIMARY KEY (token_hash),
  CONSTRAINT staff_sign_in_user_id_fkey FOREIGN KEY (user_id) REFERENCES staff_member(user_id)
);
CREATE INDEX staff_sign_in_by_age ON staff_sign_in USING btree (expires_at);
CREATE INDEX staff_sign_in_by_user ON staff_sign_in USING btree (user_id);

CREATE TABLE staff_token (
  id uuid NOT NULL,
  token_hash bytea NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  revoked_at timestamptz,
  CONSTRAINT staff_token_pkey PRIMARY KEY (id),
  CONSTRAINT staff_token_token_hash_key UNIQUE (token_hash),
  CONSTRAINT staff_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES staff_member(user_id),
  CONSTRAINT staff_token_check CHECK (expires_at > created_at),
  CONSTRAINT staff_token_name_check CHECK (name <> ''::text),
  CONSTRAINT staff_token_scopes_check CHECK (cardinality(scopes) > 0)
);
CREATE INDEX staff_token_by_end ON staff_token USING btree (expires_at);
CREATE INDEX staff_token_by_user ON staff_token USING btree (user_id);

CREATE TABLE store_webhook (
  store text NOT NULL,
  webhook_id text NOT NULL,
  received_at timestamptz NOT NULL,
  CONSTRAINT store_webhook_pkey PRIMARY KEY (store, webhook_id)
);
CREATE INDEX store_webhook_by_age ON store_webhook USING btree (received_at);

CREATE TABLE subscription (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  plan_id text NOT NULL,
  kind text NOT NULL,
  paid_with text NOT NULL,
  name_fa text NOT NULL,
  name_en text NOT NULL,
  price_toman bigint NOT NULL,
  duration_days integer NOT NULL,
  traffic_limit_bytes bigint,
  max_devices integer NOT NULL,
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  granted_bytes bigint NOT NULL DEFAULT 0,
  ended_at timestamptz,
  end_reason text,
  credited_toman bigint NOT NULL DEFAULT 0,
  warned_at timestamptz,
  created_at timestamptz NOT NULL,
  carried_bytes bigint NOT NULL DEFAULT 0,
  first_given_at timestamptz,
  version_id uuid,
  CONSTRAINT subscription_pkey PRIMARY KEY (id),
  CONSTRAINT subscription_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plan(id),
  CONSTRAINT subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT subscription_version_id_fkey FOREIGN KEY (version_id) REFERENCES plan_version(id),
  CONSTRAINT subscription_credit_only_when_ended CHECK (credited_toman = 0 OR ended_at IS NOT NULL),
  CONSTRAINT subscription_credit_within_price CHECK (credited_toman >= 0 AND credited_toman <= price_toman),
  CONSTRAINT subscription_end_has_reason CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
  CONSTRAINT subscription_end_reason_check CHECK (end_reason = ANY (ARRAY['cancelled'::text, 'replaced'::text, 'used_up'::text])),
  CONSTRAINT subscription_ends_after_start CHECK (ends_at > starts_at),
  CONSTRAINT subscription_granted_bytes_check CHECK (granted_bytes >= 0),
  CONSTRAINT subscription_granted_within_traffic CHECK (granted_bytes <= (traffic_limit_bytes + carried_bytes)),
  CONSTRAINT subscription_kind_check CHECK (kind = ANY (ARRAY['purchase'::text, 'upgrade'::text, 'renewal'::text])),
  CONSTRAINT subscription_paid_with_check CHECK (paid_with = ANY (ARRAY['wallet'::text, 'gift_card'::text])),
  CONSTRAINT subscription_price_toman_check CHECK (price_toman >= 0)
);
CREATE INDEX subscription_begun ON subscription USING btree (first_given_at) WHERE (first_given_at IS NOT NULL);
CREATE INDEX subscription_by_user ON subscription USING btree (user_id, created_at DESC);
CREATE INDEX subscription_ended ON subscription USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX subscription_ending ON subscription USING btree (ends_at) WHERE (ended_at IS NULL);

CREATE TABLE test_bank_session (
  reference text NOT NULL,
  gateway text NOT NULL,
  merchant text NOT NULL,
  amount_rial bigint NOT NULL,
  callback_url text NOT NULL,
  description text NOT NULL,
  state text NOT NULL,
  ref_id text,
  created_at timestamptz NOT NULL,
  order_id text NOT NULL DEFAULT ''::text,
  paid_at timestamptz,
  refunded_rial bigint NOT NULL DEFAULT 0,
  CONSTRAINT test_bank_session_pkey PRIMARY KEY (reference),
  CONSTRAINT test_bank_session_state_check CHECK (state = ANY (ARRAY['IN_BANK'::text, 'PAID'::text, 'VERIFIED'::text, 'FAILED'::text, 'REVERSED'::text]))
);

CREATE TABLE test_store_nonce (
  store text NOT NULL,
  nonce text NOT NULL,
  used_at timestamptz NOT NULL,
  CONSTRAINT test_store_nonce_pkey PRIMARY KEY (store, nonce)
);

CREATE TABLE totp_secret (
  user_id uuid NOT NULL,
  secret_sealed text NOT NULL,
  last_step bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  confirmed_at timestamptz,
  last_used_at timestamptz,
  CONSTRAINT totp_secret_pkey PRIMARY KEY (user_id),
  CONSTRAINT totp_secret_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

CREATE TABLE traffic_window (
  user_id uuid NOT NULL,
  started_at timestamptz NOT NULL,
  base_bytes bigint NOT NULL,
  CONSTRAINT traffic_window_pkey PRIMARY KEY (user_id),
  CONSTRAINT traffic_window_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT traffic_window_base_bytes_check CHECK (base_bytes >= 0)
);

CREATE TABLE trial (
  user_id uuid NOT NULL,
  limit_bytes bigint NOT NULL,
  used_bytes bigint NOT NULL DEFAULT 0,
  ended_at timestamptz,
  end_reason text,
  notified_at timestamptz,
  is_marked boolean NOT NULL DEFAULT true,
  CONSTRAINT trial_pkey PRIMARY KEY (user_id),
  CONSTRAINT trial_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT trial_end_has_reason CHECK ((ended_at IS NULL) = (end_reason IS NULL)),
  CONSTRAINT trial_end_reason_check CHECK (end_reason = ANY (ARRAY['traffic'::text, 'earlier'::text])),
  CONSTRAINT trial_used_within_limit CHECK (used_bytes >= 0 AND used_bytes <= limit_bytes)
);
CREATE INDEX trial_unmarked ON trial USING btree (user_id) WHERE (NOT is_marked);
CREATE INDEX trial_unnotified ON trial USING btree (user_id) WHERE ((end_reason = 'traffic'::text) AND (notified_at IS NULL));

CREATE TABLE trial_mark (
  mark bytea NOT NULL,
  user_id uuid,
  CONSTRAINT trial_mark_pkey PRIMARY KEY (mark),
  CONSTRAINT trial_mark_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX trial_mark_by_user ON trial_mark USING btree (user_id);

CREATE TABLE tunnel (
  config_id uuid NOT NULL,
  connected_since timestamptz,
  last_handshake_at timestamptz NOT NULL,
  ping_ms real,
  CONSTRAINT tunnel_pkey PRIMARY KEY (config_id),
  CONSTRAINT tunnel_config_id_fkey FOREIGN KEY (config_id) REFERENCES config(id)
) WITH (fillfactor=60);

CREATE TABLE unearned_plan (
  subscription_id uuid NOT NULL,
  toman bigint NOT NULL,
  after_day date,
  CONSTRAINT unearned_plan_pkey PRIMARY KEY (subscription_id),
  CONSTRAINT unearned_plan_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES subscription(id),
  CONSTRAINT unearned_plan_toman_check CHECK (toman >= 0)
) WITH (fillfactor=70);

CREATE TABLE unknown_recipient (
  user_id uuid NOT NULL,
  at timestamptz NOT NULL
);
CREATE INDEX unknown_recipient_by_age ON unknown_recipient USING btree (at);
CREATE INDEX unknown_recipient_by_user ON unknown_recipient USING btree (user_id, at);

CREATE TABLE usage_hour (
  config_id uuid NOT NULL,
  hour timestamptz NOT NULL,
  up bigint NOT NULL,
  down bigint NOT NULL,
  charged_toman bigint NOT NULL,
  CONSTRAINT usage_hour_pkey PRIMARY KEY (config_id, hour),
  CONSTRAINT usage_hour_config_id_fkey FOREIGN KEY (config_id) REFERENCES config(id)
);

CREATE TABLE usage_sum (
  config_id uuid NOT NULL,
  grain text NOT NULL,
  begins date NOT NULL,
  user_id uuid NOT NULL,
  up bigint NOT NULL,
  down bigint NOT NULL,
  charged_toman bigint NOT NULL,
  last_charged_hour timestamptz,
  days integer NOT NULL DEFAULT 0,
  charged_days integer NOT NULL DEFAULT 0,
  CONSTRAINT usage_sum_pkey PRIMARY KEY (config_id, grain, begins),
  CONSTRAINT usage_sum_grain_check CHECK (grain = ANY (ARRAY['day'::text, 'month'::text]))
) WITH (fillfactor=80);
CREATE INDEX usage_sum_by_user ON usage_sum USING btree (user_id, grain, begins);

CREATE TABLE users (
  id uuid NOT NULL,
  email text NOT NULL,
  name text NOT NULL DEFAULT ''::text,
  role text NOT NULL DEFAULT 'user'::text,
  status text NOT NULL,
  profile_completed boolean NOT NULL DEFAULT false,
  email_verified_at timestamptz,
  activated_at timestamptz,
  trial_ends_at timestamptz,
  created_at timestamptz NOT NULL,
  password_hash text,
  phone text,
  avatar_id uuid,
  pending_email text,
  deleted_at timestamptz,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_email_key UNIQUE (email),
  CONSTRAINT users_phone_key UNIQUE (phone),
  CONSTRAINT users_phone_check CHECK (phone ~ '^09[0-9]{9}$'::text),
  CONSTRAINT users_role_check CHECK (role = ANY (ARRAY['user'::text, 'agent'::text, 'admin'::text, 'super_admin'::text])),
  CONSTRAINT users_status_check CHECK (status = ANY (ARRAY['pending_verification'::text, 'incomplete'::text, 'active'::text, 'suspended'::text, 'deactivated'::text, 'deleted'::text]))
);
CREATE INDEX users_by_status ON users USING btree (status, id);
CREATE INDEX users_email_part ON users USING gin (email gin_trgm_ops);
CREATE INDEX users_phone_part ON users USING gin (phone gin_trgm_ops);

CREATE TABLE wallet_correction (
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  kind text NOT NULL,
  amount_toman bigint NOT NULL,
  reason text NOT NULL,
  operator text NOT NULL,
  created_at timestamptz NOT NULL,
  staff_id uuid,
  limit_toman bigint,
  proposal_id uuid,
  bulk_id uuid,
  CONSTRAINT wallet_correction_pkey PRIMARY KEY (id),
  CONSTRAINT wallet_correction_bulk_id_fkey FOREIGN KEY (bulk_id) REFERENCES bulk(id),
  CONSTRAINT wallet_correction_proposal_id_fkey FOREIGN KEY (proposal_id) REFERENCES correction_proposal(id),
  CONSTRAINT wallet_correction_staff_id_fkey FOREIGN KEY (staff_id) REFERENCES users(id),
  CONSTRAINT wallet_correction_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  CONSTRAINT wallet_correction_amount_toman_check CHECK (amount_toman <> 0),
  CONSTRAINT wallet_correction_by_staff CHECK ((limit_toman IS NULL) = (staff_id IS NULL) AND (proposal_id IS NULL OR staff_id IS NOT NULL)),
  CONSTRAINT wallet_correction_kind_check CHECK (kind = ANY (ARRAY['adjustment'::text, 'remainder'::text, 'debt'::text])),
  CONSTRAINT wallet_correction_limit_toman_check CHECK (limit_toman >= 0),
  CONSTRAINT wallet_correction_operator_check CHECK (operator <> ''::text),
  CONSTRAINT wallet_correction_reason_check CHECK (reason <> ''::text)
);
CREATE INDEX wallet_correction_by_user ON wallet_correction USING btree (user_id);
CREATE UNIQUE INDEX wallet_correction_of_bulk ON wallet_correction USING btree (bulk_id, user_id) WHERE (bulk_id IS NOT NULL);
CREATE UNIQUE INDEX wallet_correction_of_proposal ON wallet_correction USING btree (proposal_id, user_id) WHERE (proposal_id IS NOT NULL);

CREATE TABLE wallet_movement (
  user_id uuid NOT NULL,
  at timestamptz NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  amount bigint NOT NULL,
  status text NOT NULL,
  detail text NOT NULL,
  plan_name_fa text,
  plan_name_en text,
  CONSTRAINT wallet_movement_pkey PRIMARY KEY (user_id, id),
  CONSTRAINT wallet_movement_status_check CHECK (status = ANY (ARRAY['pending'::text, 'completed'::text, 'failed'::text, 'cancelled'::text, 'refunded'::text]))
);
CREATE INDEX wallet_movement_by_time ON wallet_movement USING btree (user_id, at DESC, id DESC);
CREATE INDEX wallet_movement_payments ON wallet_movement USING btree (user_id, status, at DESC, id DESC) WHERE ((type = 'wallet_charge'::text) OR (type = 'gift_card'::text) OR ((type = 'subscription'::text) AND (amount < 0)));

CREATE TABLE wallet_sum (
  user_id uuid NOT NULL,
  grain text NOT NULL,
  begins date NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  gateway text NOT NULL,
  deposits bigint NOT NULL,
  withdrawals bigint NOT NULL,
  lines bigint NOT NULL,
  days integer NOT NULL DEFAULT 0,
  CONSTRAINT wallet_sum_pkey PRIMARY KEY (user_id, grain, begins, kind, status, gateway),
  CONSTRAINT wallet_sum_grain_check CHECK (grain = ANY (ARRAY['all'::text, 'month'::text, 'day'::text]))
) WITH (fillfactor=80);

CREATE TABLE wallet_transfer (
  id uuid NOT NULL,
  from_user_id uuid NOT NULL,
  to_user_id uuid NOT NULL,
  amount_toman bigint NOT NULL,
  note text NOT NULL DEFAULT ''::text,
  created_at timestamptz NOT NULL,
  CONSTRAINT wallet_transfer_pkey PRIMARY KEY (id),
  CONSTRAINT wallet_transfer_from_user_id_fkey FOREIGN KEY (from_user_id) REFERENCES users(id),
  CONSTRAINT wallet_transfer_to_user_id_fkey FOREIGN KEY (to_user_id) REFERENCES users(id),
  CONSTRAINT wallet_transfer_amount_toman_check CHECK (amount_toman > 0),
  CONSTRAINT wallet_transfer_between_two_users CHECK (from_user_id <> to_user_id)
);
CREATE INDEX wallet_transfer_by_sender ON wallet_transfer USING btree (from_user_id, created_at DESC);

CREATE VIEW card_movement AS
 SELECT redeemed_by AS user_id,
    redeemed_at AS at,
    id,
    'gift_card'::text AS type,
    credited_toman AS amount,
    'completed'::text AS status,
    last4 AS detail,
    NULL::text AS plan_name_fa,
    NULL::text AS plan_name_en
   FROM gift_card
  WHERE status = 'redeemed'::text;

CREATE VIEW movement_sum AS
 SELECT m.user_id,
    g.grain,
    g.begins,
        CASE
            WHEN m.type = 'subscription'::text AND (m.detail = ANY (ARRAY['renewal'::text, 'credit'::text])) THEN 'subscription_'::text || m.detail
            ELSE m.type
        END AS kind,
    m.status,
        CASE m.type
            WHEN 'wallet_charge'::text THEN m.detail
            ELSE ''::text
        END AS gateway,
    sum(GREATEST(m.amount, 0::bigint))::bigint AS deposits,
    sum(GREATEST(- m.amount, 0::bigint))::bigint AS withdrawals,
    count(*) AS lines,
        CASE
            WHEN g.grain = 'month'::text AND (m.status = ANY (ARRAY['completed'::text, 'refunded'::text])) THEN bit_or(1 << (EXTRACT(day FROM m.day)::integer - 1))
            ELSE 0
        END AS days
   FROM ( SELECT wallet_movement.user_id,
            wallet_movement.at,
            wallet_movement.id,
            wallet_movement.type,
            wallet_movement.amount,
            wallet_movement.status,
            wallet_movement.detail,
            wallet_movement.plan_name_fa,
            wallet_movement.plan_name_en,
            (wallet_movement.at AT TIME ZONE 'Asia/Tehran'::text)::date AS day
           FROM wallet_movement) m
     CROSS JOIN LATERAL ( VALUES ('all'::text,'0001-01-01'::date), ('month'::text,date_trunc('month'::text, m.day::timestamptz)::date), ('day'::text,m.day)) g(grain, begins)
  GROUP BY m.user_id, g.grain, g.begins, (
        CASE
            WHEN m.type = 'subscription'::text AND (m.detail = ANY (ARRAY['renewal'::text, 'credit'::text])) THEN 'subscription_'::text || m.detail
            ELSE m.type
        END), m.status, (
        CASE m.type
            WHEN 'wallet_charge'::text THEN m.detail
            ELSE ''::text
        END);

CREATE VIEW payment_movement AS
 SELECT user_id,
    created_at AS at,
    id,
    'wallet_charge'::text AS type,
    amount_toman AS amount,
        CASE
            WHEN state = ANY (ARRAY['failed'::text, 'cancelled'::text]) THEN state
            WHEN state <> 'completed'::text THEN 'pending'::text
            WHEN (EXISTS ( SELECT
               FROM payment_reversal r
              WHERE r.payment_id = p.id)) OR (EXISTS ( SELECT
               FROM refund r
              WHERE r.payment_id = p.id AND (r.state = ANY (ARRAY['sent'::text, 'confirmed'::text])))) THEN 'refunded'::text
            ELSE 'completed'::text
        END AS status,
    gateway AS detail,
    NULL::text AS plan_name_fa,
    NULL::text AS plan_name_en
   FROM payment p;

CREATE VIEW plan_movement AS
 SELECT subscription.user_id,
    subscription.created_at AS at,
    subscription.id,
    'subscription'::text AS type,
    - subscription.price_toman AS amount,
    'completed'::text AS status,
    subscription.kind AS detail,
    subscription.name_fa AS plan_name_fa,
    subscription.name_en AS plan_name_en,
    subscription.id AS subscription_id
   FROM subscription
  WHERE subscription.price_toman > 0
UNION ALL
 SELECT subscription.user_id,
    subscription.ended_at AS at,
    OVERLAY(OVERLAY(md5(subscription.id::text || 'credit'::text) PLACING '8'::text FROM 13 FOR 1) PLACING 'a'::text FROM 17 FOR 1)::uuid AS id,
    'subscription'::text AS type,
    subscription.credited_toman AS amount,
    'completed'::text AS status,
    'credit'::text AS detail,
    subscription.name_fa AS plan_name_fa,
    subscription.name_en AS plan_name_en,
    subscription.id AS subscription_id
   FROM subscription
  WHERE subscription.credited_toman > 0;

CREATE VIEW transfer_movement AS
 SELECT a.owner_id AS user_id,
    t.created_at AS at,
    t.id,
        CASE t.kind
            WHEN 'refund'::text THEN 'refund'::text
            WHEN 'transfer'::text THEN 'transfer'::text
            ELSE 'adjustment'::text
        END AS type,
    e.amount,
    'completed'::text AS status,
    t.purpose AS detail,
    NULL::text AS plan_name_fa,
    NULL::text AS plan_name_en,
    e.transfer_id AS entry_transfer_id
   FROM ledger_transfer t
     JOIN ledger_entry e ON e.transfer_id = t.id
     JOIN ledger_account a ON a.id = e.account_id
  WHERE (t.kind = ANY (ARRAY['refund'::text, 'transfer'::text, 'reversal'::text, 'adjustment'::text])) AND a.kind = 'user_wallet'::text AND e.account_version IS NOT NULL;

CREATE VIEW usage_day AS
 SELECT config_id,
    user_id,
    ( SELECT c.name
           FROM config c
          WHERE c.id = used.config_id) AS name,
    day,
    sum(up)::bigint AS up,
    sum(down)::bigint AS down,
    sum(charged)::bigint AS charged,
    max(at) AS at,
    OVERLAY(OVERLAY(md5(config_id::text || day::text) PLACING '8'::text FROM 13 FOR 1) PLACING 'a'::text FROM 17 FOR 1)::uuid AS line_id
   FROM ( SELECT usage_sum.config_id,
            usage_sum.user_id,
            usage_sum.begins AS day,
            usage_sum.up,
            usage_sum.down,
            usage_sum.charged_toman AS charged,
            usage_sum.last_charged_hour + '00:59:00'::interval AS at
           FROM usage_sum
          WHERE usage_sum.grain = 'day'::text
        UNION ALL
         SELECT meter.config_id,
            meter.user_id,
            (meter.hour_start AT TIME ZONE 'Asia/Tehran'::text)::date AS timezone,
            meter.hour_up,
            meter.hour_down,
            meter.hour_charged,
                CASE
                    WHEN meter.hour_charged > 0 THEN GREATEST(meter.last_used_at, meter.hour_start)
                    ELSE NULL::timestamptz
                END AS "case"
           FROM meter
          WHERE meter.hour_start IS NOT NULL) used
  GROUP BY config_id, user_id, day;

CREATE VIEW usage_guest AS
 SELECT config_id,
    guest_name
   FROM family_link
  WHERE ended_at IS NULL;

CREATE VIEW usage_hour_sum AS
 SELECT h.config_id,
    g.grain,
    g.begins,
    m.user_id,
    sum(h.up)::bigint AS up,
    sum(h.down)::bigint AS down,
    sum(h.charged_toman)::bigint AS charged_toman,
    max(h.hour) FILTER (WHERE h.charged_toman > 0) AS last_charged_hour,
        CASE g.grain
            WHEN 'month'::text THEN bit_or(
            CASE
                WHEN (h.up + h.down) > 0 THEN 1 << (EXTRACT(day FROM h.day)::integer - 1)
                ELSE 0
            END)
            ELSE 0
        END AS days,
        CASE g.grain
            WHEN 'month'::text THEN bit_or(
            CASE
                WHEN h.charged_toman > 0 THEN 1 << (EXTRACT(day FROM h.day)::integer - 1)
                ELSE 0
            END)
            ELSE 0
        END AS charged_days
   FROM ( SELECT usage_hour.config_id,
            usage_hour.hour,
            usage_hour.up,
            usage_hour.down,
            usage_hour.charged_toman,
            (usage_hour.hour AT TIME ZONE 'Asia/Tehran'::text)::date AS day
           FROM usage_hour) h
     JOIN meter m ON m.config_id = h.config_id
     CROSS JOIN LATERAL ( VALUES ('day'::text,h.day), ('month'::text,date_trunc('month'::text, h.day::timestamp without time zone)::date)) g(grain, begins)
  GROUP BY h.config_id, g.grain, g.begins, m.user_id;

CREATE VIEW usage_line AS
 SELECT line_id AS id,
    config_id,
    user_id,
    day,
    at,
    charged,
    name
   FROM usage_day
  WHERE charged > 0;

CREATE VIEW usage_line_running AS
 SELECT OVERLAY(OVERLAY(md5(m.config_id::text || d.day::text) PLACING '8'::text FROM 13 FOR 1) PLACING 'a'::text FROM 17 FOR 1)::uuid AS id,
    m.user_id,
    d.day,
    GREATEST(m.last_used_at, m.hour_start, s.last_charged_hour + '00:59:00'::interval) AS at,
    m.hour_charged + COALESCE(s.charged_toman, 0::bigint) AS charged,
    c.name
   FROM meter m
     CROSS JOIN LATERAL ( SELECT (m.hour_start AT TIME ZONE 'Asia/Tehran'::text)::date AS day) d
     JOIN config c ON c.id = m.config_id
     LEFT JOIN usage_sum s ON s.config_id = m.config_id AND s.grain = 'day'::text AND s.begins = d.day
  WHERE m.hour_start IS NOT NULL AND m.hour_charged > 0;

CREATE VIEW usage_line_stored AS
 SELECT OVERLAY(OVERLAY(md5(s.config_id::text || s.begins::text) PLACING '8'::text FROM 13 FOR 1) PLACING 'a'::text FROM 17 FOR 1)::uuid AS id,
    s.user_id,
    s.begins AS day,
    s.last_charged_hour + '00:59:00'::interval AS at,
    s.charged_toman AS charged,
    c.name
   FROM usage_sum s
     JOIN config c ON c.id = s.config_id
  WHERE s.grain = 'day'::text AND s.charged_toman > 0;

CREATE VIEW usage_month AS
 SELECT usage_sum.config_id,
    usage_sum.user_id,
    usage_sum.begins,
    usage_sum.up,
    usage_sum.down,
    usage_sum.charged_toman AS charged,
    bit_count(usage_sum.charged_days::bit(31))::integer AS lines,
    usage_sum.days
   FROM usage_sum
  WHERE usage_sum.grain = 'month'::text
UNION ALL
 SELECT m.config_id,
    m.user_id,
    date_trunc('month'::text, d.day::timestamp without time zone)::date AS begins,
    m.hour_up AS up,
    m.hour_down AS down,
    m.hour_charged AS charged,
        CASE
            WHEN m.hour_charged > 0 AND NOT (EXISTS ( SELECT
               FROM usage_sum s
              WHERE s.config_id = m.config_id AND s.grain = 'day'::text AND s.begins = d.day AND s.charged_toman > 0)) THEN 1
            ELSE 0
        END AS lines,
        CASE
            WHEN (m.hour_up + m.hour_down) > 0 THEN 1 << (EXTRACT(day FROM d.day)::integer - 1)
            ELSE 0
        END AS days
   FROM meter m
     CROSS JOIN LATERAL ( SELECT (m.hour_start AT TIME ZONE 'Asia/Tehran'::text)::date AS day) d
  WHERE m.hour_start IS NOT NULL;

CREATE VIEW user_account AS
 SELECT owner_id AS user_id,
    id AS wallet_id,
    balance - reserved AS wallet,
    (reserved::numeric - COALESCE(( SELECT sum(m.unbooked_toman) AS sum
           FROM meter m
          WHERE m.user_id = w.owner_id), 0::numeric))::bigint AS lease
   FROM ledger_account w
  WHERE kind = 'user_wallet'::text;

CREATE OR REPLACE FUNCTION audit_refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'the audit is append-only: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $function$
;

CREATE OR REPLACE FUNCTION charge_closed_segments(config uuid, from_byte bigint, to_byte bigint)
 RETURNS bigint
 LANGUAGE sql
RETURN (SELECT (COALESCE(sum((charge_toman((LEAST(s.end_byte, charge_closed_segments.to_byte) - s.start_byte), s.price) - charge_toman(GREATEST((LEAST(s.end_byte, charge_closed_segments.from_byte) - s.start_byte), (0)::bigint), s.price))), (0)::numeric))::bigint AS "coalesce" FROM price_segment s WHERE ((s.config_id = charge_closed_segments.config) AND (s.end_byte > charge_closed_segments.from_byte) AND (s.start_byte < charge_closed_segments.to_byte)))
;

CREATE OR REPLACE FUNCTION charge_toman(bytes bigint, price bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN ((((bytes / 1000000) * price) + (((bytes % (1000000)::bigint) * price) / 1000000)) / 1000000)
;

CREATE OR REPLACE FUNCTION failed_login_attempt(address text, requester text, since timestamptz, until timestamptz, allowed integer, attempted timestamptz)
 RETURNS timestamptz[]
 LANGUAGE plpgsql
AS $function$
DECLARE
  earlier timestamptz[];
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('email:' || address, 0));
  SELECT coalesce(array_agg(f.at), '{}') INTO earlier FROM failed_login f
    WHERE f.email = address AND f.bucket = requester AND f.at > since AND f.at <= until;
  IF cardinality(earlier) < allowed THEN
    INSERT INTO failed_login (email, bucket, at) VALUES (address, requester, attempted);
  END IF;
  RETURN earlier;
END $function$
;

CREATE OR REPLACE FUNCTION ledger_book()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  closed date;
BEGIN
  NEW.booked_on := coalesce(NEW.booked_on, (NEW.created_at AT TIME ZONE 'Asia/Tehran')::date);
  NEW.fact_day := NULL;
  LOOP
    PERFORM ledger_hold_day(NEW.booked_on);
    closed := (SELECT max(last_day) FROM book_month);
    EXIT WHEN closed IS NULL OR NEW.booked_on > closed;
    NEW.fact_day := coalesce(NEW.fact_day, NEW.booked_on);
    NEW.booked_on := closed + 1;
  END LOOP;
  RETURN NEW;
END $function$
;

CREATE OR REPLACE FUNCTION ledger_check_entries()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  wrong uuid;
BEGIN
  SELECT transfer_id INTO wrong FROM new_entries GROUP BY transfer_id HAVING sum(amount) <> 0 OR count(*) < 2 LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'transfer % does not balance', wrong USING ERRCODE = 'check_violation';
  END IF;
  SELECT e.transfer_id INTO wrong FROM new_entries e LEFT JOIN ledger_account a ON a.id = e.account_id
    WHERE a.id IS NULL OR (a.kind = 'house') <> (e.account_version IS NULL) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'transfer % names an unknown account', wrong USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION ledger_check_transfer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NOT EXISTS (SELECT FROM ledger_entry WHERE transfer_id = NEW.id) THEN
    RAISE EXCEPTION 'transfer % has 0 entries', NEW.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION ledger_hold_day(day date)
 RETURNS void
 LANGUAGE sql
AS $function$
  SELECT pg_advisory_xact_lock_shared(1405, day - date '2000-01-01')
$function$
;

CREATE OR REPLACE FUNCTION ledger_refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only: % on % refused', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $function$
;

CREATE OR REPLACE FUNCTION ledger_refuse_closed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
DECLARE
  closed date;
  day date;
BEGIN
  FOR day IN SELECT DISTINCT t.booked_on FROM new_entries e JOIN ledger_transfer t ON t.id = e.transfer_id LOOP
    PERFORM ledger_hold_day(day);
    closed := (SELECT max(last_day) FROM book_month);
    IF day <= closed THEN
      RAISE EXCEPTION 'the month of % is closed', day USING ERRCODE = 'restrict_violation';
    END IF;
  END LOOP;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION order_refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION '% does not change what was ordered', TG_TABLE_NAME;
END $function$
;

CREATE OR REPLACE FUNCTION people_hash(ids uuid[])
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  SELECT encode(sha256(convert_to(string_agg(id::text, ',' ORDER BY id), 'UTF8')), 'hex') FROM unnest(ids) AS given (id)
$function$
;

CREATE OR REPLACE FUNCTION plan_keep_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  made uuid := gen_random_uuid();
  at timestamptz;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF NEW.version_id IS DISTINCT FROM OLD.version_id OR NEW.revision <> OLD.revision THEN RETURN NULL; END IF;
    IF (NEW.price_toman, NEW.original_price_toman, NEW.duration_days, NEW.traffic_limit_bytes, NEW.max_devices)
      IS NOT DISTINCT FROM (OLD.price_toman, OLD.original_price_toman, OLD.duration_days, OLD.traffic_limit_bytes, OLD.max_devices)
    THEN
      UPDATE plan SET revision = revision + 1 WHERE id = NEW.id;
      RETURN NULL;
    END IF;
  ELSIF NEW.version_id IS NOT NULL THEN
    RETURN NULL;
  END IF;
  SELECT greatest(date_trunc('milliseconds', clock_timestamp()), max(valid_from) + interval '1 millisecond') INTO at
  FROM plan_version WHERE plan_id = NEW.id AND cancelled_at IS NULL AND (valid_from = created_at OR valid_from <= clock_timestamp());
  INSERT INTO plan_version (id, plan_id, price_toman, original_price_toman, duration_days, traffic_limit_bytes, max_devices, valid_from, created_at)
  VALUES (made, NEW.id, NEW.price_toman, NEW.original_price_toman, NEW.duration_days, NEW.traffic_limit_bytes, NEW.max_devices, at, at);
  UPDATE plan SET version_id = made, revision = revision + 1 WHERE id = NEW.id;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION plan_sum_follow()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  before subscription;
BEGIN
  IF TG_OP = 'UPDATE' THEN before := OLD; END IF;
  INSERT INTO plan_sum_change (at, plan_id, version_id, sold, running, cancelled, paid_toman, credited_toman)
  SELECT p.at, NEW.plan_id, NEW.version_id, sum(p.sign * p.sold), sum(p.sign * p.running), sum(p.sign * p.cancelled),
    sum(p.sign * p.paid_toman), sum(p.sign * p.credited_toman)
  FROM (
    SELECT 1 AS sign, n.* FROM plan_sum_part(NEW) n
    UNION ALL SELECT -1, o.* FROM plan_sum_part(before) o WHERE TG_OP = 'UPDATE'
  ) p
  GROUP BY p.at
  HAVING (sum(p.sign * p.sold), sum(p.sign * p.running), sum(p.sign * p.cancelled), sum(p.sign * p.paid_toman), sum(p.sign * p.credited_toman))
    <> (0, 0, 0, 0, 0)
  ORDER BY p.at;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION plan_sum_part(s subscription)
 RETURNS TABLE(at timestamptz, sold bigint, running bigint, cancelled bigint, paid_toman bigint, credited_toman bigint)
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT s.created_at, 1::bigint, 0::bigint, 0::bigint, s.price_toman, 0::bigint
  UNION ALL
  SELECT s.ended_at, 0, 0, (s.end_reason = 'cancelled')::integer, 0, s.credited_toman WHERE s.ended_at IS NOT NULL
  UNION ALL
  -- One that ended before its start never ran.
  SELECT span.at, 0, span.running, 0, 0, 0
  FROM (VALUES (s.starts_at, 1), (least(s.ended_at, s.ends_at), -1)) AS span (at, running)
  WHERE s.ended_at IS NULL OR s.ended_at > s.starts_at
$function$
;

CREATE OR REPLACE FUNCTION plan_version_refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.cancelled_at IS NULL AND NEW.cancelled_at IS NOT NULL
    AND (NEW.id, NEW.plan_id, NEW.price_toman, NEW.duration_days, NEW.max_devices, NEW.valid_from, NEW.created_at)
      = (OLD.id, OLD.plan_id, OLD.price_toman, OLD.duration_days, OLD.max_devices, OLD.valid_from, OLD.created_at)
    AND (NEW.original_price_toman, NEW.traffic_limit_bytes, NEW.max_mbit, NEW.created_by, NEW.reason)
      IS NOT DISTINCT FROM (OLD.original_price_toman, OLD.traffic_limit_bytes, OLD.max_mbit, OLD.created_by, OLD.reason)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'versions of plans stay as they were: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $function$
;

CREATE OR REPLACE FUNCTION price_version_refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF TG_OP = 'UPDATE' AND OLD.cancelled_at IS NULL AND NEW.cancelled_at IS NOT NULL
    AND (NEW.id, NEW.usd_cents_per_gb, NEW.valid_from, NEW.created_at) = (OLD.id, OLD.usd_cents_per_gb, OLD.valid_from, OLD.created_at)
    AND (NEW.created_by, NEW.reason) IS NOT DISTINCT FROM (OLD.created_by, OLD.reason)
  THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'prices that were stay as they were: % refused', TG_OP USING ERRCODE = 'restrict_violation';
END $function$
;

CREATE OR REPLACE FUNCTION usage_sum_add(hours usage_hour[])
 RETURNS void
 LANGUAGE sql
AS $function$
  INSERT INTO usage_sum AS s SELECT * FROM usage_sum_part(hours)
  ON CONFLICT (config_id, grain, begins) DO UPDATE SET up = s.up + excluded.up, down = s.down + excluded.down,
    charged_toman = s.charged_toman + excluded.charged_toman, last_charged_hour = greatest(s.last_charged_hour, excluded.last_charged_hour),
    days = s.days | excluded.days, charged_days = s.charged_days | excluded.charged_days
$function$
;

CREATE OR REPLACE FUNCTION usage_sum_follow()
 RETURNS trigger
 LANGUAGE plpgsql
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM usage_sum_add(hours) FROM (SELECT array_agg(ROW(n.*)::usage_hour) AS hours FROM new_rows n) added WHERE hours IS NOT NULL;
  ELSE
    PERFORM usage_sum_add(hours) FROM (
      SELECT array_agg(ROW(n.config_id, n.hour, n.up - o.up, n.down - o.down, n.charged_toman - o.charged_toman)::usage_hour) AS hours
      FROM new_rows n JOIN old_rows o USING (config_id, hour)
    ) added WHERE hours IS NOT NULL;
  END IF;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION usage_sum_part(hours usage_hour[])
 RETURNS SETOF usage_sum
 LANGUAGE sql
 STABLE
AS $function$
  SELECT h.config_id, g.grain, g.begins, m.user_id, sum(h.up)::bigint, sum(h.down)::bigint, sum(h.charged_toman)::bigint,
    max(h.hour) FILTER (WHERE h.charged_toman > 0),
    CASE g.grain WHEN 'month' THEN bit_or(CASE WHEN h.up + h.down > 0 THEN h.bit ELSE 0 END) ELSE 0 END,
    CASE g.grain WHEN 'month' THEN bit_or(CASE WHEN h.charged_toman > 0 THEN h.bit ELSE 0 END) ELSE 0 END
  FROM (
    SELECT u.*, d.day, 1 << (extract(day FROM d.day)::integer - 1) AS bit
    FROM unnest(hours) u CROSS JOIN LATERAL (SELECT (u.hour AT TIME ZONE 'Asia/Tehran')::date AS day) d
  ) h
  JOIN meter m ON m.config_id = h.config_id
  CROSS JOIN LATERAL (VALUES ('day', h.day), ('month', date_trunc('month', h.day::timestamp)::date)) AS g (grain, begins)
  GROUP BY h.config_id, g.grain, g.begins, m.user_id
  ORDER BY h.config_id, g.grain, g.begins
$function$
;

CREATE OR REPLACE FUNCTION uuid_of(source text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (source ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text) THEN (source)::uuid ELSE NULL::uuid END
;

CREATE OR REPLACE FUNCTION wallet_movement_of_card()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM wallet_movement_put(array_agg(ROW(v.*)::wallet_movement)) FROM card_movement v WHERE v.id = NEW.id;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION wallet_movement_of_payment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  payment uuid := CASE WHEN TG_TABLE_NAME = 'payment' THEN to_jsonb(NEW) ->> 'id' ELSE to_jsonb(NEW) ->> 'payment_id' END;
BEGIN
  PERFORM wallet_movement_put(array_agg(ROW(v.*)::wallet_movement)) FROM payment_movement v WHERE v.id = payment;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION wallet_movement_of_payments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM wallet_movement_put(array_agg(ROW(v.*)::wallet_movement)) FROM payment_movement v WHERE v.id IN (SELECT id FROM new_rows);
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION wallet_movement_of_plan()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM wallet_movement_put(array_agg(
      ROW(v.user_id, v.at, v.id, v.type, v.amount, v.status, v.detail, v.plan_name_fa, v.plan_name_en)::wallet_movement))
    FROM plan_movement v WHERE v.subscription_id = NEW.id;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION wallet_movement_of_transfer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM wallet_movement_put(array_agg(
      ROW(v.user_id, v.at, v.id, v.type, v.amount, v.status, v.detail, v.plan_name_fa, v.plan_name_en)::wallet_movement))
    FROM transfer_movement v WHERE v.id = NEW.id;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION wallet_movement_put(moved wallet_movement[])
 RETURNS void
 LANGUAGE sql
AS $function$
  INSERT INTO wallet_movement AS w SELECT * FROM unnest(moved) ORDER BY user_id, id
  ON CONFLICT (user_id, id) DO UPDATE SET at = excluded.at, amount = excluded.amount, status = excluded.status, detail = excluded.detail
  WHERE (w.at, w.amount, w.status, w.detail) IS DISTINCT FROM (excluded.at, excluded.amount, excluded.status, excluded.detail)
$function$
;

CREATE OR REPLACE FUNCTION wallet_sum_add(moved wallet_movement[], sign integer)
 RETURNS void
 LANGUAGE sql
AS $function$
  INSERT INTO wallet_sum AS s (user_id, grain, begins, kind, status, gateway, deposits, withdrawals, lines, days)
  SELECT user_id, grain, begins, kind, status, gateway, sign * sum(greatest(amount, 0)), sign * sum(greatest(-amount, 0)),
    sign * count(*), CASE WHEN grain = 'month' AND status IN ('completed', 'refunded') THEN bit_or(day_bit) ELSE 0 END
  FROM wallet_sum_part(moved) GROUP BY user_id, grain, begins, kind, status, gateway
  ORDER BY user_id, grain, begins, kind, status, gateway
  ON CONFLICT (user_id, grain, begins, kind, status, gateway) DO UPDATE SET deposits = s.deposits + excluded.deposits,
    withdrawals = s.withdrawals + excluded.withdrawals, lines = s.lines + excluded.lines, days = s.days | excluded.days
$function$
;

CREATE OR REPLACE FUNCTION wallet_sum_follow()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM wallet_sum_add(m, 1) FROM (SELECT array_agg(ROW(n.*)::wallet_movement) AS m FROM new_rows n) added WHERE m IS NOT NULL;
  IF TG_OP = 'UPDATE' THEN
    PERFORM wallet_sum_add(m, -1) FROM (SELECT array_agg(ROW(o.*)::wallet_movement) AS m FROM old_rows o) taken WHERE m IS NOT NULL;
  END IF;
  RETURN NULL;
END $function$
;

CREATE OR REPLACE FUNCTION wallet_sum_part(moved wallet_movement[])
 RETURNS TABLE(user_id uuid, grain text, begins date, kind text, status text, gateway text, amount bigint, day_bit integer)
 LANGUAGE sql
AS $function$
  SELECT m.user_id, g.grain, g.begins,
    CASE WHEN m.type = 'subscription' AND m.detail IN ('renewal', 'credit') THEN 'subscription_' || m.detail ELSE m.type END,
    m.status, CASE m.type WHEN 'wallet_charge' THEN m.detail ELSE '' END, m.amount, 1 << (extract(day FROM m.day)::integer - 1)
  FROM (SELECT *, (at AT TIME ZONE 'Asia/Tehran')::date AS day FROM unnest(moved)) m
  CROSS JOIN LATERAL (VALUES ('all', date '0001-01-01'), ('month', date_trunc('month', m.day)::date), ('day', m.day)) AS g (grain, begins)
$function$
;

CREATE TRIGGER approval_stays BEFORE DELETE OR UPDATE OF id, act, payload, reason, proposed_by, proposed_at, expires_at ON approval FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
CREATE TRIGGER audit_entry_append_only BEFORE DELETE OR UPDATE ON audit_entry FOR EACH ROW EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
CREATE TRIGGER book_month_append_only BEFORE DELETE OR UPDATE ON book_month FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER book_month_no_truncate BEFORE TRUNCATE ON book_month FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER book_month_sum_append_only BEFORE DELETE OR UPDATE ON book_month_sum FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER book_month_sum_no_truncate BEFORE TRUNCATE ON book_month_sum FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER bulk_item_stays BEFORE DELETE OR UPDATE OF bulk_id, user_id ON bulk_item FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
CREATE TRIGGER bulk_stays BEFORE DELETE OR UPDATE OF act, reason, filter, actor_kind, actor, ordered_at, people, undoes, each_toman, message, proposal_id, approve_by ON bulk FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
CREATE TRIGGER gift_card_batch_stays BEFORE UPDATE OF alone_usd_cents, limit_usd_cents, approval_id ON gift_card_batch FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
CREATE TRIGGER gift_card_moves AFTER INSERT OR UPDATE OF status ON gift_card FOR EACH ROW WHEN (new.status = 'redeemed'::text) EXECUTE FUNCTION wallet_movement_of_card();
CREATE TRIGGER invoice_append_only BEFORE DELETE OR UPDATE ON invoice FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER invoice_no_truncate BEFORE TRUNCATE ON invoice FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_account_kept BEFORE DELETE ON ledger_account FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entry_append_only BEFORE DELETE OR UPDATE ON ledger_entry FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entry_balanced AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_check_entries();
CREATE TRIGGER ledger_entry_no_truncate BEFORE TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entry_open_month AFTER INSERT ON ledger_entry REFERENCING NEW TABLE AS new_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_closed();
CREATE TRIGGER ledger_transfer_append_only BEFORE DELETE OR UPDATE ON ledger_transfer FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_transfer_booked BEFORE INSERT ON ledger_transfer FOR EACH ROW EXECUTE FUNCTION ledger_book();
CREATE CONSTRAINT TRIGGER ledger_transfer_complete AFTER INSERT ON ledger_transfer DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_check_transfer();
CREATE CONSTRAINT TRIGGER ledger_transfer_moves AFTER INSERT ON ledger_transfer DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.kind = ANY (ARRAY['refund'::text, 'transfer'::text, 'reversal'::text, 'adjustment'::text])) EXECUTE FUNCTION wallet_movement_of_transfer();
CREATE TRIGGER ledger_transfer_no_truncate BEFORE TRUNCATE ON ledger_transfer FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER payment_moves AFTER INSERT ON payment REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION wallet_movement_of_payments();
CREATE TRIGGER payment_moves_on AFTER UPDATE OF state ON payment FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION wallet_movement_of_payment();
CREATE TRIGGER payment_reversal_moves AFTER INSERT ON payment_reversal FOR EACH ROW EXECUTE FUNCTION wallet_movement_of_payment();
CREATE TRIGGER plan_kept AFTER INSERT OR UPDATE ON plan FOR EACH ROW EXECUTE FUNCTION plan_keep_version();
CREATE TRIGGER plan_version_no_truncate BEFORE TRUNCATE ON plan_version FOR EACH STATEMENT EXECUTE FUNCTION plan_version_refuse_change();
CREATE TRIGGER plan_version_unchanged BEFORE DELETE OR UPDATE ON plan_version FOR EACH ROW EXECUTE FUNCTION plan_version_refuse_change();
CREATE TRIGGER price_version_no_truncate BEFORE TRUNCATE ON price_version FOR EACH STATEMENT EXECUTE FUNCTION price_version_refuse_change();
CREATE TRIGGER price_version_unchanged BEFORE DELETE OR UPDATE ON price_version FOR EACH ROW EXECUTE FUNCTION price_version_refuse_change();
CREATE TRIGGER proposal_stays BEFORE DELETE OR UPDATE OF user_id, kind, amount_toman, reason, proposed_by, proposed_at, payment_id, reference, same_reference, each_toman, people, people_hash ON correction_proposal FOR EACH ROW EXECUTE FUNCTION order_refuse_change();
CREATE TRIGGER refund_moves AFTER INSERT ON refund FOR EACH ROW EXECUTE FUNCTION wallet_movement_of_payment();
CREATE TRIGGER refund_moves_on AFTER UPDATE OF state ON refund FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION wallet_movement_of_payment();
CREATE TRIGGER subscription_moves AFTER INSERT ON subscription FOR EACH ROW EXECUTE FUNCTION wallet_movement_of_plan();
CREATE TRIGGER subscription_moves_on AFTER UPDATE OF price_toman, credited_toman, ended_at ON subscription FOR EACH ROW WHEN (old.price_toman IS DISTINCT FROM new.price_toman OR old.credited_toman IS DISTINCT FROM new.credited_toman OR old.ended_at IS DISTINCT FROM new.ended_at) EXECUTE FUNCTION wallet_movement_of_plan();
CREATE TRIGGER subscription_summed AFTER INSERT OR UPDATE OF starts_at, ends_at, ended_at, end_reason, credited_toman ON subscription FOR EACH ROW EXECUTE FUNCTION plan_sum_follow();
CREATE TRIGGER usage_hour_added AFTER INSERT ON usage_hour REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION usage_sum_follow();
CREATE TRIGGER usage_hour_changed AFTER UPDATE ON usage_hour REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION usage_sum_follow();
CREATE TRIGGER wallet_movement_added AFTER INSERT ON wallet_movement REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION wallet_sum_follow();
CREATE TRIGGER wallet_movement_changed AFTER UPDATE ON wallet_movement REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION wallet_sum_follow();
