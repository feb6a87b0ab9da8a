import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { PeerIdentity } from '../plan.ts';

/** A live tunnel as the protocol's daemon sees it. The device's network address stays inside the daemon. */
export interface TunnelLife {
  readonly publicKey: string;
  readonly handshakeAgeSeconds: number;
}

/**
 * One VPN protocol's daemon and interface. It lets devices in and encrypts; it neither meters nor cuts off: that is the
 * firewall's, the same for every protocol.
 */
export interface Tunnel {
  /** Brings the daemon and the interface up, or adopts them, and gives the public keys that are installed. */
  open(settings: NodeSettings): Promise<{ readonly adopted: boolean; readonly installed: ReadonlySet<string> }>;
  /** Forgets first, then installs. Installing a known key sets its addresses and preshared key anew. */
  apply(install: readonly PeerIdentity[], forget: readonly string[]): Promise<void>;
  /** Tunnels that have ever shaken hands. */
  listLives(): Promise<TunnelLife[]>;
  isUp(): Promise<boolean>;
  /** Calls back when the daemon dies under us; not for every back-end, so `isUp` is asked too. */
  onLost(listener: () => void): void;
  /** Takes the interface away (`teardown`) or leaves it serving. */
  close(teardown: boolean): Promise<void>;
}
