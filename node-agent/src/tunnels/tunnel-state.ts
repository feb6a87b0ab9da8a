import type { Tunnel, TunnelName } from './tunnel.ts';

/** What is known of the tunnels at the moment. */
export interface TunnelState {
  /** Tunnels that are served. */
  readonly up: Set<TunnelName>;
  /** Configs whose tunnel was live at the last report, with that tunnel. */
  live: Map<string, Tunnel>;
  /** Credentials that an adopted daemon had and the agent did not know. */
  readonly unknownPeers: Map<TunnelName, ReadonlySet<string>>;
}

export function createTunnelState(): TunnelState {
  return { up: new Set(), live: new Map(), unknownPeers: new Map() };
}
