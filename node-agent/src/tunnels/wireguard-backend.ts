/** A change of one peer. Keys are base64, as in WireGuard's own files. */
export type PeerCommand =
  | { readonly kind: 'remove'; readonly publicKey: string }
  | {
      readonly kind: 'set';
      readonly publicKey: string;
      readonly presharedKey: string;
      readonly allowedIps: readonly string[];
      /** Where the device was last; with `wakes` the node speaks first, and the tunnel is back in milliseconds. */
      readonly endpoint?: string;
      readonly wakes?: boolean;
    }
  /** Ends the speaking first. */
  | { readonly kind: 'calm'; readonly publicKey: string };

export interface PeerStatus {
  readonly publicKey: string;
  readonly endpoint: string | null;
  /** Seconds since 1970; 0: never. */
  readonly handshakeSeconds: number;
}

/** How to talk to a WireGuard implementation. The interface is made and addressed elsewhere. */
export interface WireguardBackend {
  /** Whether an interface of this name is there and answers. */
  isUp(): Promise<boolean>;
  /** Makes the interface. */
  create(): Promise<void>;
  configure(device: { readonly privateKey: string; readonly listenPort: number }): Promise<void>;
  apply(commands: readonly PeerCommand[]): Promise<void>;
  list(): Promise<PeerStatus[]>;
  onLost(listener: () => void): void;
  remove(): Promise<void>;
  disconnect(): void;
}
