import type { StaffRole } from '@raha/contract/admin/roles.ts';
import { m } from '../text/generated/messages.js';

export const roleNames: Readonly<Record<StaffRole, () => string>> = {
  super_admin: m.console_role_super_admin,
  admin: m.console_role_admin,
  support: m.console_role_support,
  finance: m.console_role_finance,
  auditor: m.console_role_auditor,
};

/** What a role may do, in a sentence. */
export const roleTexts: Readonly<Record<StaffRole, () => string>> = {
  super_admin: m.console_role_super_admin_text,
  admin: m.console_role_admin_text,
  support: m.console_role_support_text,
  finance: m.console_role_finance_text,
  auditor: m.console_role_auditor_text,
};
