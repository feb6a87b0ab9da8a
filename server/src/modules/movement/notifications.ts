export interface MovementNotifications {
  /** An entry that the user's file may name is blocked. `hasName`: a file by name finds another entry by itself. */
  entry_blocked: { country: string; hasName: boolean };
}
