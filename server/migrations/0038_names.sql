-- Renames columns, tables, indexes and constraints after what they hold. No row changes, except that the table `attempt`,
-- which three modules shared, becomes one table per kind of attempt, each with one owner.

-- A WireGuard public key, a certificate's name or an IKEv2 user name; and the secret that goes with it: a preshared key, a
-- tls-crypt-v2 key or a password's hash. Sealed values stay bound to the old names (config/preshared_key/…).
ALTER TABLE config RENAME COLUMN public_key TO credential;
ALTER TABLE config RENAME COLUMN preshared_key_sealed TO client_secret_sealed;
ALTER TABLE config RENAME COLUMN successor_id TO replacement_id;
ALTER TABLE config RENAME CONSTRAINT config_successor_id_fkey TO config_replacement_id_fkey;
ALTER INDEX config_key RENAME TO config_credential;
ALTER INDEX config_ever_of_user RENAME TO config_by_user_with_deleted;

-- Both hold the id of a subscription.
ALTER TABLE meter RENAME COLUMN segment_plan TO segment_subscription_id;
ALTER TABLE meter RENAME CONSTRAINT meter_segment_plan_fkey TO meter_segment_subscription_id_fkey;
ALTER INDEX meter_of_plan RENAME TO meter_by_segment_subscription;
ALTER TABLE price_segment RENAME COLUMN plan TO subscription_id;
ALTER TABLE price_segment RENAME CONSTRAINT price_segment_plan_fkey TO price_segment_subscription_id_fkey;
ALTER INDEX price_segment_of_plan RENAME TO price_segment_by_subscription;
-- Bits per second.
ALTER TABLE meter RENAME COLUMN rate_up TO throughput_up;
ALTER TABLE meter RENAME COLUMN rate_down TO throughput_down;
-- The config has a replacement.
ALTER TABLE meter RENAME COLUMN leaving TO is_replaced;
ALTER INDEX connection_over RENAME TO connection_by_end;

ALTER TABLE payment RENAME COLUMN authority TO gateway_reference;
ALTER TABLE payment RENAME CONSTRAINT payment_gateway_authority_key TO payment_gateway_reference_key;
-- When a call was begun that must not be repeated, because it would pay twice.
ALTER TABLE refund RENAME COLUMN asked_once_at TO unrepeatable_call_at;
ALTER TABLE bank_simulator_session RENAME TO test_bank_session;
ALTER TABLE test_bank_session RENAME COLUMN authority TO reference;
ALTER TABLE test_bank_session RENAME CONSTRAINT bank_simulator_session_pkey TO test_bank_session_pkey;
ALTER TABLE test_bank_session RENAME CONSTRAINT bank_simulator_session_state_check TO test_bank_session_state_check;
ALTER TABLE gift_card RENAME COLUMN rate_toman TO toman_per_usd;

ALTER TABLE balance_level RENAME TO low_balance_baseline;
ALTER TABLE low_balance_baseline RENAME COLUMN level_toman TO baseline_toman;
ALTER TABLE low_balance_baseline RENAME CONSTRAINT balance_level_pkey TO low_balance_baseline_pkey;
ALTER TABLE low_balance_baseline RENAME CONSTRAINT balance_level_user_id_fkey TO low_balance_baseline_user_id_fkey;
ALTER TABLE low_balance_baseline RENAME CONSTRAINT balance_level_level_toman_check TO low_balance_baseline_positive;

ALTER TABLE node_suspicion RENAME TO node_anomaly;
ALTER TABLE node_anomaly RENAME COLUMN times TO occurrences;
ALTER TABLE node_anomaly RENAME CONSTRAINT node_suspicion_pkey TO node_anomaly_pkey;
ALTER TABLE node_anomaly RENAME CONSTRAINT node_suspicion_node_id_fkey TO node_anomaly_node_id_fkey;
ALTER TABLE node_anomaly RENAME CONSTRAINT node_suspicion_kind_check TO node_anomaly_kind_check;
ALTER TABLE node_anomaly RENAME CONSTRAINT node_suspicion_times_check TO node_anomaly_occurrences_positive;

ALTER TABLE name_screening RENAME TO dns_filtering;
ALTER TABLE dns_filtering RENAME CONSTRAINT name_screening_pkey TO dns_filtering_pkey;
ALTER TABLE dns_filtering RENAME CONSTRAINT name_screening_user_id_fkey TO dns_filtering_user_id_fkey;
ALTER TABLE withheld_day RENAME TO blocked_query_day;
ALTER TABLE blocked_query_day RENAME CONSTRAINT withheld_day_pkey TO blocked_query_day_pkey;
ALTER TABLE blocked_query_day RENAME CONSTRAINT withheld_day_user_id_fkey TO blocked_query_day_user_id_fkey;
ALTER TABLE blocked_query_day RENAME CONSTRAINT withheld_day_count_check TO blocked_query_day_count_not_negative;

ALTER TABLE node_authority RENAME TO node_certificate_authority;
ALTER TABLE node_certificate_authority RENAME CONSTRAINT node_authority_pkey TO node_certificate_authority_pkey;
ALTER TABLE node_certificate_authority RENAME CONSTRAINT node_authority_node_id_fkey TO node_certificate_authority_node_id_fkey;

ALTER TABLE node RENAME COLUMN wanted_agent TO desired_agent_sha256;
ALTER TABLE node RENAME CONSTRAINT node_wanted_agent_check TO node_desired_agent_sha256_check;
-- The node's last request for its desired state; the number of names on its block list; bytes billed beyond its link's
-- capacity, and when that was computed.
ALTER TABLE node_presence RENAME COLUMN asked_at TO polled_at;
ALTER TABLE node_presence RENAME COLUMN blocked_names TO block_list_names;
ALTER TABLE node_presence RENAME COLUMN passed_ahead_bytes TO ahead_of_link_bytes;
ALTER TABLE node_presence RENAME COLUMN passed_at TO ahead_of_link_at;

ALTER TABLE refresh_token RENAME COLUMN successor_sealed TO replacement_sealed;
ALTER TABLE email_challenge RENAME COLUMN tries TO attempts;
ALTER TABLE phone_challenge RENAME COLUMN tries TO attempts;
ALTER TABLE idempotency RENAME TO idempotent_request;
ALTER TABLE idempotent_request RENAME CONSTRAINT idempotency_pkey TO idempotent_request_pkey;

-- A single row that a process updates before it reads the market, so that only one process does.
ALTER TABLE exchange_rate_turn RENAME TO exchange_rate_refresh;
ALTER TABLE exchange_rate_refresh RENAME COLUMN taken_at TO started_at;
ALTER TABLE exchange_rate_refresh RENAME CONSTRAINT exchange_rate_turn_pkey TO exchange_rate_refresh_pkey;
ALTER TABLE exchange_rate_refresh RENAME CONSTRAINT exchange_rate_turn_one_check TO exchange_rate_refresh_one_row;

-- Attempts that count towards limits. Without foreign keys, so that inserting one locks no user row.
CREATE TABLE failed_login (email text NOT NULL, at timestamptz NOT NULL);
CREATE INDEX failed_login_by_email ON failed_login (email, at);
CREATE TABLE email_change_request (user_id uuid NOT NULL, at timestamptz NOT NULL);
CREATE INDEX email_change_request_by_user ON email_change_request (user_id, at);
CREATE TABLE unknown_recipient (user_id uuid NOT NULL, at timestamptz NOT NULL);
CREATE INDEX unknown_recipient_by_user ON unknown_recipient (user_id, at);
CREATE TABLE failed_redemption (user_id uuid NOT NULL, at timestamptz NOT NULL);
CREATE INDEX failed_redemption_by_user ON failed_redemption (user_id, at);
INSERT INTO failed_login SELECT subject, at FROM attempt WHERE scope = 'login';
INSERT INTO email_change_request SELECT subject::uuid, at FROM attempt WHERE scope = 'change-email';
INSERT INTO unknown_recipient SELECT subject::uuid, at FROM attempt WHERE scope = 'transfer';
INSERT INTO failed_redemption SELECT subject::uuid, at FROM attempt WHERE scope = 'gift-card';
DROP TABLE attempt;

-- Check constraints whose names PostgreSQL had generated.
ALTER TABLE connection RENAME CONSTRAINT connection_check TO connection_end_has_bytes;
ALTER TABLE connection RENAME CONSTRAINT connection_check1 TO connection_ends_after_start;
ALTER TABLE connection RENAME CONSTRAINT connection_check2 TO connection_bytes_grow;
ALTER TABLE exchange_rate RENAME CONSTRAINT exchange_rate_check TO exchange_rate_none_has_no_rate;
ALTER TABLE exchange_rate RENAME CONSTRAINT exchange_rate_check1 TO exchange_rate_only_operators_end;
ALTER TABLE gift_card RENAME CONSTRAINT gift_card_check TO gift_card_redeemed_is_complete;
ALTER TABLE gift_card RENAME CONSTRAINT gift_card_void TO gift_card_void_has_time;
ALTER TABLE ledger_account RENAME CONSTRAINT ledger_account_check TO ledger_account_house_has_no_balance;
ALTER TABLE ledger_account RENAME CONSTRAINT ledger_account_check1 TO ledger_account_house_has_no_version;
ALTER TABLE ledger_account RENAME CONSTRAINT ledger_account_check2 TO ledger_account_house_has_no_owner;
ALTER TABLE ledger_entry RENAME CONSTRAINT ledger_entry_check TO ledger_entry_version_has_balance;
ALTER TABLE ledger_entry RENAME CONSTRAINT ledger_entry_amount_check TO ledger_entry_amount_not_zero;
ALTER TABLE meter RENAME CONSTRAINT meter_check TO meter_epoch_not_negative;
ALTER TABLE meter RENAME CONSTRAINT meter_check1 TO meter_billed_within_lease;
ALTER TABLE meter RENAME CONSTRAINT meter_unbooked_toman_check TO meter_unbooked_not_negative;
ALTER TABLE payment RENAME CONSTRAINT payment_check TO payment_completed_has_evidence;
ALTER TABLE payment_reversal RENAME CONSTRAINT payment_reversal_check TO payment_reversal_owed_within_amount;
ALTER TABLE plan RENAME CONSTRAINT plan_check TO plan_original_price_above_price;
ALTER TABLE price_segment RENAME CONSTRAINT price_segment_check TO price_segment_not_empty;
ALTER TABLE refund RENAME CONSTRAINT refund_check TO refund_settled_has_time;
ALTER TABLE refund RENAME CONSTRAINT refund_check1 TO refund_confirmed_has_evidence;
ALTER TABLE subscription RENAME CONSTRAINT subscription_check TO subscription_credit_within_price;
ALTER TABLE subscription RENAME CONSTRAINT subscription_check1 TO subscription_ends_after_start;
ALTER TABLE subscription RENAME CONSTRAINT subscription_check3 TO subscription_end_has_reason;
ALTER TABLE subscription RENAME CONSTRAINT subscription_check4 TO subscription_credit_only_when_ended;
ALTER TABLE wallet_transfer RENAME CONSTRAINT wallet_transfer_check TO wallet_transfer_between_two_users;
