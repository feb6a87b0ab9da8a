export interface ConfigNotifications {
  config_live: { name: string };
  /** Its server is being left. `hasFile`: a replacement waits, in `country`; until `endsAt` the old one works. */
  config_moved: { name: string; endsAt: string; country: string; hasFile: boolean };
}
