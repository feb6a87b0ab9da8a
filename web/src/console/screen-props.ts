import type { StaffSelf } from '@raha/contract/admin/sessions.ts';

export interface ScreenProps {
  readonly self: StaffSelf;
  /** The server no longer knows the session. */
  onOver(): void;
}
