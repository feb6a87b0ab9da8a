import { m } from '../../../text/generated/messages.js';

/**
 * Why a return failed, in the user's language: our own server's refusals by their names in the address, no code at all for a state
 * that is not this tab's, and one sentence for whatever a provider itself says.
 */
export function refusalSentence(code: string | undefined, provider: string): string {
  switch (code) {
    case 'social_unverified':
      return m.social_unverified({ provider });
    case 'social_link_needs_sign_in':
      return m.social_link_needs_sign_in({ provider });
    case 'social_failed':
      return m.social_failed({ provider });
    case 'social_off':
      return m.social_off();
    case 'account_suspended':
      return m.account_suspended();
    case 'account_deactivated':
      return m.account_deactivated();
    case undefined:
      return m.social_foreign_state({ provider });
    default:
      return m.social_not_this_time({ provider });
  }
}
