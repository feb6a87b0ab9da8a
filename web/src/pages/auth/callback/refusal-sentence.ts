import { m } from '../../../text/generated/messages.js';

/** Our own server names its refusals in the address; its sentences stay there, these are the ones a return can meet. */
export function refusalSentence(code: string | undefined, provider: string): string | undefined {
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
    default:
      return undefined;
  }
}
