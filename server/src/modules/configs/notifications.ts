export interface ConfigNotifications {
  config_live: { name: string };
  /**
   * Its server is being retired. `hasFile`: a replacement is ready, in `country`; the old config works until `endsAt`.
   */
  config_moved: { name: string; endsAt: string; country: string; hasFile: boolean };
  /** A complaint was about a connection that its server said to be this config's (decision 117). */
  config_traced: { name: string };
}
