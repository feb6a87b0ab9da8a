import type { NodeSettings, WireguardBackendName } from '@raha/contract/node/protocol.ts';
import type { PeerIdentity } from '../control/plan.ts';

export type Protocol = PeerIdentity['protocol'];
/** OpenVPN has two, because its daemon serves one transport; OpenConnect and the proxy are further ways of the same configs. */
export type TunnelName = Protocol | 'openvpn_tcp' | 'openconnect' | 'proxy';

/** The protocol whose configs a tunnel serves, by its name. */
export function protocolOf(name: TunnelName): Protocol {
  return name === 'openvpn_tcp' || name === 'openconnect' || name === 'proxy' ? 'openvpn' : name;
}

/** A tunnel as the protocol's daemon sees it. The device's network address stays inside the daemon. */
export interface TunnelActivity {
  /** As `credentialOf` returns it. */
  readonly credential: string;
  /** Seconds since the daemon last had proof that the device is connected. */
  readonly handshakeAgeSeconds: number;
}

export interface Opened {
  /** The daemon was running and goes on. */
  readonly adopted: boolean;
  /** Credentials that it lets in. */
  readonly installed: ReadonlySet<string>;
  /** The node's own inner addresses, without a prefix length. */
  readonly nodeAddresses: readonly string[];
}

/**
 * One VPN protocol's daemon and interface. It lets devices in and encrypts. Metering and enforcement are the firewall's,
 * the same for every protocol.
 */
export interface Tunnel {
  readonly protocol: Protocol;
  readonly name: TunnelName;
  readonly interfaceName: string;
  /** True: each connected device has an interface, whose name begins so; otherwise there is one for all. */
  readonly hasInterfacePerDevice?: boolean;
  /** True: the inner address is the daemon's, not the device's, so that a ping would measure nothing. */
  readonly endsHere?: boolean;
  /** WireGuard's own: what carries it. */
  readonly backend?: WireguardBackendName;
  /** True when the daemon knows when a device disconnects: a device that is no longer listed has disconnected. */
  readonly hasSessions: boolean;
  /** The settings that this protocol depends on; undefined until the control plane has sent all of them, or without it. */
  settingsOf(settings: NodeSettings): unknown;
  /** The device's inner address here, if it is not that of its config. */
  addressOf?(address4: string): string;
  /** Ends what runs of a tunnel that the control plane does not want any more. */
  leave?(): Promise<void>;
  /** Starts the daemon and the interface, or adopts them. */
  open(settings: NodeSettings): Promise<Opened>;
  /**
   * Forgets first, then installs. Installing a known credential updates its addresses and secrets. A forgotten device
   * passes no packet once this is done.
   */
  apply(install: readonly PeerIdentity[], forget: readonly string[]): Promise<void>;
  /** Tunnels that have ever completed a handshake, or have a session. */
  listActivity(): Promise<TunnelActivity[]>;
  isUp(): Promise<boolean>;
  /** The node's key that the control plane has to certify, SubjectPublicKeyInfo in base64, if the protocol needs one. */
  readonly certifiedKey?: string;
  /** Calls back when the daemon dies. Not every back-end can tell, so `isUp` is polled, too. */
  onLost(listener: () => void): void;
  /** Removes the interface (`teardown`) or leaves it serving. */
  close(teardown: boolean): Promise<void>;
}
