import type { WireguardBackendName } from '@raha/contract/node/protocol.ts';

/** A change of one peer. Keys are base64, as in WireGuard's own files. */
export type PeerCommand =
  | { readonly kind: 'remove'; readonly publicKey: string }
  | {
      readonly kind: 'set';
      readonly publicKey: string;
      readonly presharedKey: string;
      readonly allowedIps: readonly string[];
      /** The device's last known endpoint; with `keepalive` the node initiates, and the tunnel is back in milliseconds. */
      readonly endpoint?: string;
      readonly keepalive?: boolean;
    }
  | { readonly kind: 'stop-keepalive'; readonly publicKey: string };

export interface PeerStatus {
  readonly publicKey: string;
  readonly endpoint: string | null;
  /** Seconds since 1970; 0: never. */
  readonly handshakeSeconds: number;
}

/** Controls a WireGuard implementation. The interface is addressed elsewhere. */
export interface WireguardBackend {
  readonly name: WireguardBackendName;
  /** Whether the interface exists and the implementation answers. */
  isUp(): Promise<boolean>;
  /** Creates the interface. */
  create(): Promise<void>;
  configure(device: { readonly privateKey: string; readonly listenPort: number }): Promise<void>;
  apply(commands: readonly PeerCommand[]): Promise<void>;
  list(): Promise<PeerStatus[]>;
  onLost(listener: () => void): void;
  remove(): Promise<void>;
  disconnect(): void;
}
