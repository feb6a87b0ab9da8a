export type FactorChange =
  | 'passkey_added'
  | 'passkey_removed'
  | 'totp_added'
  | 'totp_removed'
  | 'second_step_on'
  | 'second_step_off'
  | 'recovery_codes_made'
  | 'recovery_code_used'
  | 'removed_by_operator';

export interface FactorNotifications {
  /** `name`: of the passkey; empty for other changes. */
  factors_changed: { change: FactorChange; name: string };
}
