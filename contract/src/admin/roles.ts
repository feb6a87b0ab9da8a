/**
 * What people who work here may do. A permission stands here once a call needs it. The lists are data: the server asks
 * them in one place, and the console hides what its member may not do.
 */
export const staffRoles = ['super_admin', 'admin', 'support', 'finance', 'auditor'] as const;
export type StaffRole = (typeof staffRoles)[number];

/** The name of an account that is opened for a member; its owner changes it in the profile. */
export const unnamedMember = 'همکار';

export const permissions = [
  'today.read',
  'staff.read',
  'staff.manage',
  'audit.read',
  'people.read',
  'people.contact',
  'people.resend',
  'people.suspend',
  'people.end-sessions',
  'bulks.steer',
  'configs.read',
  'wallet.adjust',
  'corrections.decide',
  'approvals.propose',
  'approvals.decide',
  'refunds.request',
  'payments.read',
  'payments.settle',
  'prices.read',
  'prices.propose',
  'prices.manage',
  'cards.read',
  'cards.manage',
  'settings.read',
  'settings.manage',
  'reports.read',
  'fleet.read',
  'fleet.margins',
  'fleet.manage',
  'abuse.trace',
  'alerts.read',
  'alerts.act',
  'tokens.manage',
] as const;
export type Permission = (typeof permissions)[number];

export const rolePermissions: Readonly<Record<StaffRole, readonly Permission[]>> = {
  super_admin: permissions,
  admin: [
    'today.read',
    'audit.read',
    'people.read',
    'people.contact',
    'people.resend',
    'people.suspend',
    'people.end-sessions',
    'bulks.steer',
    'configs.read',
    'approvals.propose',
    'prices.read',
    'prices.propose',
    'cards.read',
    'settings.read',
    'reports.read',
    'fleet.read',
    'fleet.margins',
    'fleet.manage',
    'abuse.trace',
    'alerts.read',
    'alerts.act',
    'tokens.manage',
  ],
  support: [
    'today.read',
    'audit.read',
    'people.read',
    'people.contact',
    'people.resend',
    'people.end-sessions',
    'bulks.steer',
    'configs.read',
    'wallet.adjust',
    'fleet.read',
    'alerts.read',
    'alerts.act',
  ],
  finance: [
    'today.read',
    'audit.read',
    'people.read',
    'people.contact',
    'bulks.steer',
    'wallet.adjust',
    'corrections.decide',
    'approvals.propose',
    'approvals.decide',
    'refunds.request',
    'payments.read',
    'payments.settle',
    'prices.read',
    'prices.propose',
    'prices.manage',
    'cards.read',
    'cards.manage',
    'settings.read',
    'reports.read',
    'fleet.read',
    'fleet.margins',
    'alerts.read',
  ],
  auditor: [
    'today.read',
    'staff.read',
    'audit.read',
    'people.read',
    'configs.read',
    'payments.read',
    'prices.read',
    'cards.read',
    'settings.read',
    'reports.read',
    'fleet.read',
    'fleet.margins',
    'alerts.read',
  ],
};

/** Which entries of the audit a role sees: all, all but those about staff, those about money, or a member's own. */
export type AuditScope = 'all' | 'without_staff' | 'money' | 'own';

export const auditScopes: Readonly<Record<StaffRole, AuditScope>> = {
  super_admin: 'all',
  admin: 'without_staff',
  support: 'own',
  finance: 'money',
  auditor: 'all',
};

export function isPermitted(role: StaffRole, permission: Permission): boolean {
  return rolePermissions[role].includes(permission);
}

/** Nobody grants what they do not have, nor takes anything from a role that may do more. */
export function mayGrant(granter: StaffRole, role: StaffRole): boolean {
  const seesAsMuch = auditScopes[granter] === 'all' || auditScopes[granter] === auditScopes[role];
  return seesAsMuch && rolePermissions[role].every((permission) => isPermitted(granter, permission));
}
