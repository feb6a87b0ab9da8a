export const accountStatuses = [
  'pending_verification',
  'incomplete',
  'active',
  'suspended',
  'deactivated',
  'deleted',
] as const;
export type AccountStatus = (typeof accountStatuses)[number];

export const roles = ['user', 'agent', 'admin', 'super_admin'] as const;
export type Role = (typeof roles)[number];
