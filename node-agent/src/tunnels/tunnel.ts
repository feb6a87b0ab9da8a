import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { PeerIdentity } from '../control/plan.ts';

export type Protocol = PeerIdentity['protocol'];

/** A live tunnel as the protocol's daemon sees it. The device's network address stays inside the daemon. */
export interface TunnelLife {
  /** As `credentialOf` gives it. */
  readonly credential: string;
  /** Seconds since the daemon last knew for certain that the device is there. */
  readonly handshakeAgeSeconds: number;
}

export interface Opened {
  /** The daemon was running, and goes on. */
  readonly adopted: boolean;
  /** Credentials that it lets in. */
  readonly installed: ReadonlySet<string>;
  /** The node's own inner addresses, without a prefix length. */
  readonly ownAddresses: readonly string[];
}

/**
 * One VPN protocol's daemon and interface. It lets devices in and encrypts; it neither meters nor cuts off: that is the
 * firewall's, the same for every protocol.
 */
export interface Tunnel {
  readonly protocol: Protocol;
  readonly interfaceName: string;
  /** True where the daemon knows when a device leaves: what it does not list any more has left. */
  readonly hasSessions: boolean;
  /** What of the settings this protocol lives by; undefined while the control plane has not said enough. */
  settingsOf(settings: NodeSettings): unknown;
  /** Brings the daemon and the interface up, or adopts them. */
  open(settings: NodeSettings): Promise<Opened>;
  /**
   * Forgets first, then installs. Installing a known credential sets its addresses and secrets anew. Whoever is
   * forgotten passes no packet once this is done.
   */
  apply(install: readonly PeerIdentity[], forget: readonly string[]): Promise<void>;
  /** Tunnels that have ever shaken hands, or have a session. */
  listLives(): Promise<TunnelLife[]>;
  isUp(): Promise<boolean>;
  /** The node's key that the control plane has to certify, SubjectPublicKeyInfo in base64; where the protocol needs one. */
  readonly certifiedKey?: string;
  /** Calls back when the daemon dies under us; not for every back-end, so `isUp` is asked too. */
  onLost(listener: () => void): void;
  /** Takes the interface away (`teardown`) or leaves it serving. */
  close(teardown: boolean): Promise<void>;
}
