import type { KeptDatum } from '@raha/contract/privacy.ts';

/**
 * Every column of every table, under what it keeps of a user; `nothing`: no user is meant. When you add a column, check whether the
 * sentence of the privacy page covers it (`web/src/pages/site/text/privacy-*.ts`), and extend the sentence first.
 */
export const keptColumns: Readonly<Record<KeptDatum | 'nothing', Readonly<Record<string, string>>>> = {
  account: {
    avatar: 'created_at id user_id webp',
    email_change_request: 'at user_id',
    phone_challenge: 'attempts code_hmac created_at expires_at id phone replaced_at used_at user_id',
    users:
      'activated_at avatar_id created_at deleted_at email email_verified_at id name password_hash pending_email phone profile_completed role status trial_ends_at',
  },
  choices: {
    blocked_query_day: 'count day user_id',
    dns_filtering: 'user_id',
    preference: 'auto_connect email_notifications language mail_kinds sms_notifications theme user_id',
  },
  sign_in: {
    email_challenge:
      'attempts canonical_email code_hmac created_at email expires_at id purpose replaced_at requester requester_known used_at',
    failed_login: 'at bucket email',
    known_device: 'device_hash first_seen_at last_seen_at user_id',
    passkey:
      'backed_up created_at credential_id id is_second_step last_used_at name public_key sign_count transports user_id',
    passkey_challenge: 'challenge created_at expires_at purpose requester user_id',
    password_reset: 'created_at expires_at token_hash used_at user_id',
    pending_sign_in: 'created_at expires_at method session_days token_hash user_id',
    recovery_code: 'code_hmac created_at used_at user_id',
    refresh_token: 'generation replacement_sealed rotated_at session_id token_hash',
    session: 'created_at device end_reason ended_at expires_at generation id last_used_at method user_id',
    social_identity: 'created_at provider subject user_id',
    totp_secret: 'confirmed_at created_at last_step last_used_at secret_sealed user_id',
  },
  config: {
    config:
      'blocked certificate client_secret_sealed connect_requested_at created_at credential deleted_at id leaves_at name node_id offers_openconnect private_key_sealed protocol removed_at replacement_id slot user_id',
    family_link:
      'browser_hash config_id created_at ended_at expires_at guest_name id opened_at sender_name token_hash user_id',
  },
  usage: {
    connection: 'config_id end_bytes ended_at start_bytes started_at',
    low_balance_baseline: 'baseline_toman cause user_id warned_percent',
    meter:
      'billed_bytes cap_bytes cap_end_bytes cap_from config_id due_toman epoch epoch_down epoch_up final generation hour_charged hour_down hour_start hour_up is_replaced last_used_at lease_grant_bytes lease_limit_bytes lease_rate lease_recalled_limit lease_short lease_shrink_to lease_version node_id past_charged past_down past_hour past_up reading_beyond reading_billed reading_unknown sampled_at segment_price segment_start segment_subscription_id throughput_down throughput_up total_down total_up trial_bytes unbilled_bytes unbooked_since unbooked_toman unpaid_bytes user_id',
    meter_epoch: 'config_id down epoch up',
    price_segment: 'config_id end_byte price start_byte subscription_id',
    service_stop: 'cause opened_at restored_at stopped_at user_id',
    traffic_window: 'base_bytes started_at user_id',
    tunnel: 'config_id connected_since last_handshake_at ping_ms',
    usage_hour: 'charged_toman config_id down hour up',
    usage_sum: 'begins charged_days charged_toman config_id days down grain last_charged_hour up user_id',
  },
  money: {
    card_money: 'bound_toman card_toman user_id',
    card_purchase: 'bound_toman card_toman period_id',
    debtor_mark: 'created_at mark user_id',
    failed_redemption: 'at user_id',
    gift_card:
      'batch_id broken_at code_hmac created_at credited_toman expires_at face_usd_cents id last4 pepper_version redeemed_at redeemed_by sold_toman status toman_per_usd voided_at',
    gift_card_redirect:
      'card_id code_sealed created_at expires_at id nonce order_id paid_at redirect_url_sealed request_id store user_id',
    idempotent_request: 'created_at key request_hash response user_id',
    invoice:
      'amount_toman corrects id issued_at kind number seller source_id subject user_id vat_percent vat_toman year',
    ledger_account: 'balance code created_at floor id kind owner_id reserved version',
    ledger_entry: 'account_id account_version amount balance_after transfer_id',
    ledger_transfer: 'booked_on created_at fact_day id kind purpose source_id source_type',
    payment:
      'amount_toman card_mask checks created_at evidence failure gateway gateway_reference id next_check_at payment_url ref_id settled_at state user_id',
    payment_reversal: 'amount_toman created_at evidence owed_toman payment_id user_id',
    refund:
      'amount_toman checks created_at evidence failure gateway id next_check_at operator payment_id reason route sent_at settled_at state tracking unrepeatable_call_at user_id',
    settled_item: 'amount_toman booking_id gateway item_id kind line_id',
    settlement_booking: 'bank_toman clearing_toman created_at difference_toman fee_toman gateway id kind payout',
    settlement_difference:
      'actor amount_toman booking_id closed_at gateway id item_id item_kind kind line_id opened_at operator payment_id reason solved_by state',
    settlement_line:
      'amount_rial booking_id day digest fee_rial fee_toman file_id gateway id line_number occurrence payout reference session unreadable',
    store_webhook: 'received_at store webhook_id',
    subscription:
      'carried_bytes created_at credited_toman duration_days end_reason ended_at ends_at first_given_at granted_bytes id kind max_devices name_en name_fa paid_with plan_id price_toman starts_at traffic_limit_bytes user_id version_id warned_at',
    test_bank_session:
      'amount_rial callback_url created_at description gateway merchant order_id paid_at ref_id reference refunded_rial state',
    unearned_plan: 'after_day subscription_id toman',
    unknown_recipient: 'at user_id',
    wallet_movement: 'amount at detail id plan_name_en plan_name_fa status type user_id',
    wallet_sum: 'begins days deposits gateway grain kind lines status user_id withdrawals',
    wallet_transfer: 'amount_toman created_at from_user_id id note to_user_id',
  },
  messages: {
    delivery: 'at attempts channel code first_at id kind notification_id reason resent_at state user_id',
    notification: 'cause created_at data deleted_at id kind read_at user_id',
    push_subscription: 'created_at endpoint_mark expires_at session_id subscription_sealed',
  },
  support: {
    alert:
      'acknowledged_at acknowledged_by announced began_at cause closed_at figure id next_at opened_at rule seen_at severity silenced_by silenced_until',
    alert_message: 'alert_id attempts body channel created_at event failed_at failure id member_id next_at sent_at',
    approval: 'act alone decided_at decided_by expires_at id machine_user payload proposed_at proposed_by reason state',
    audit_entry:
      'action actor actor_kind at chain changed details number operator reason target_id target_kind user_id',
    bulk: 'act actor actor_kind approve_by done each_toman ended_at failed filter id lost_permission message ordered_at people proposal_id reason starts_at state undoes',
    bulk_item: 'at bulk_id state tries user_id why',
    correction_proposal:
      'alone amount_toman decided_at decided_by each_toman expires_at id kind payment_id people people_hash proposed_at proposed_by reason reference same_reference state user_id',
    wallet_correction:
      'amount_toman bulk_id created_at id kind limit_toman operator proposal_id reason staff_id user_id',
  },
  trial: {
    trial: 'end_reason ended_at is_marked limit_bytes notified_at used_bytes user_id',
    trial_mark: 'mark user_id',
  },
  nothing: {
    book_month: 'closed_at first_day last_day month operator transfers',
    book_month_sum: 'account closing_toman month moved_toman',
    earned_day: 'booked_at day toman',
    entry_block: 'began_at blocked_by by_rule ended_at evidence id node_id notified_at reason relay_id',
    entry_reach: 'attempts network node_id relay_id slot through transport',
    entry_suspect: 'kept node_id relay_id seen_at',
    entry_name: 'addresses name node_id published_at',
    exchange_rate: 'id kind sources state taken_at toman_per_usd valid_until',
    exchange_rate_refresh: 'one started_at',
    free_slot: 'freed_at node_id slot',
    gateway_minute: 'calls gateway minute total_ms unanswered',
    gift_card_batch: 'alone_usd_cents approval_id codes_sealed created_at exported_at id limit_usd_cents note',
    gift_card_payment: 'batch_id created_at id kind operator reason toman',
    gift_card_sale: 'batch_id buyer created_at operator reason toman',
    invoice_year: 'last_number year',
    invoiced_month: 'invoiced_at month vat_toman',
    ledger_proof: 'ended_at part proved_at started_at violated',
    meter_sweep: 'after_id name',
    node: 'address address_limit capped_until city cost_usd_micros_per_gb country created_at desired_agent_sha256 epoch former_signing_key generation id monthly_cap_gb moves_to name next_slot openconnect_port openconnect_udp openvpn_port openvpn_tcp_website proxy_url registration retires_at signing_key snapshot_below status wireguard_port wireguard_public_key',
    node_anomaly: 'kind last_at node_id occurrences',
    node_certificate: 'certificate ends_at names node_id protocol public_key',
    node_certificate_authority: 'certificate node_id private_key_sealed tls_crypt_key_sealed',
    node_enrolment: 'expires_at node_id token_hash used_at',
    node_epoch: 'epoch last_hash last_seq node_id',
    node_month: 'bytes month node_id',
    node_presence:
      'agent_version ahead_of_link_at ahead_of_link_bytes applied_generation block_list_names clock_offset_ms disk_free_bytes disk_total_bytes exit_ipv4 exit_ipv6 load node_id openconnect openvpn_tcp ping_ms pinged_at polled_at protocols proxy release_refusal seen_at tunnels_up unmetered_upper_bound_bytes wireguard_backend wireguard_ports',
    plan: 'duration_days id is_on is_popular max_devices name_en name_fa original_price_toman position price_toman revision traffic_limit_bytes version_id',
    plan_sum: 'cancelled credited_toman paid_toman plan_id running sold version_id',
    plan_sum_change: 'at cancelled credited_toman id paid_toman plan_id running sold version_id',
    plan_version:
      'cancelled_at cancelled_by created_at created_by duration_days id max_devices max_mbit original_price_toman plan_id price_toman reason traffic_limit_bytes valid_from',
    price_version: 'cancelled_at cancelled_by created_at created_by id reason usd_cents_per_gb valid_from',
    reach_cell: 'answers attempts begins connected grain network port through transport',
    reach_open: 'attempts hour network node_id port through transport',
    refused_webhook: 'count hour last_at reason store',
    relay: 'address4 address6 created_at exit4 exit6 heard4_at heard6_at id name node_id round_trip_ms tried_at',
    schedule_run: 'ended_at name',
    setting: 'key updated_at value',
    settlement_coverage: 'covered_from covered_to gateway judged_from judged_until',
    settlement_file: 'actor covers_from covers_to gateway id imported_at lines name new_lines sha256',
    // Not the operator's users: the people who work for the operator.
    staff_member: 'added_at disabled_at enrol_until role user_id',
    staff_session: 'created_at expires_at id last_used_at proved_at token_hash user_id',
    staff_sign_in: 'created_at expires_at token_hash user_id',
    staff_token: 'created_at expires_at id last_used_at name revoked_at scopes token_hash user_id',
    test_store_nonce: 'nonce store used_at',
  },
};
