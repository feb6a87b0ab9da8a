import type { SealedColumn } from '../../platform/sealed-columns.ts';
import { subscriptionContext } from './push-subscription.ts';
import { replacementContext } from './refresh-session.ts';

export const sessionSecrets: readonly SealedColumn[] = [
  { table: 'refresh_token', column: 'replacement_sealed', subject: 'session_id', context: replacementContext },
  { table: 'push_subscription', column: 'subscription_sealed', subject: 'session_id', context: subscriptionContext },
];
