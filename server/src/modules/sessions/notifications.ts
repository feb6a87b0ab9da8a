export interface SessionNotifications {
  welcome: Record<string, never>;
  address_verified: Record<string, never>;
  new_device: { device: string };
}
