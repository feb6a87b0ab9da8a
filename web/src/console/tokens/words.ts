import type { TokenScope } from '@raha/contract/admin/tokens.ts';
import { m } from '../../text/generated/messages.js';

export const scopeNames: Readonly<Record<TokenScope, () => string>> = {
  'today.read': m.console_scope_today,
  'audit.read': m.console_scope_audit,
  'people.read': m.console_scope_people,
  'configs.read': m.console_scope_configs,
  'payments.read': m.console_scope_payments,
  'fleet.read': m.console_scope_fleet,
  'fleet.margins': m.console_scope_margins,
  'alerts.read': m.console_scope_alerts,
  'alerts.act': m.console_scope_alerts_act,
};
