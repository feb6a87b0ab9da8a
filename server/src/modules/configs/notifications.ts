export interface ConfigNotifications {
  config_live: { name: string };
  /**
   * Its server is being retired. `hasFile`: a replacement is ready, in `country`; the old config works until `endsAt`.
   */
  config_moved: { name: string; endsAt: string; country: string; hasFile: boolean };
}
