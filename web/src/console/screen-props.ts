import type { StaffSelf } from '@raha/contract/admin/sessions.ts';

export interface ScreenProps {
  readonly self: StaffSelf;
}
