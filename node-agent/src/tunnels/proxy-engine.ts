/** A user of the proxy, who is a config. */
export interface ProxyUser {
  /** As `credentialOf` returns it. */
  readonly name: string;
  readonly id: string;
  /** From which their traffic is sent, so that the firewall knows whose it is. */
  readonly address4: string;
}

export interface ProxySetup {
  /** The network inside, by the node's own address in it (`10.69.0.1/16`). */
  readonly network: string;
  /** At which it takes WebSockets. */
  readonly path: string;
}

/**
 * The program behind the proxy, which the operator supplies. It outlives the agent. It listens at a socket of the machine, and reaches the
 * network only by the interface that leads into it, like devices of a tunnel. This is all that the agent wants of it; another engine is another
 * implementation.
 */
export interface ProxyEngine {
  /** Adopts the running one with its users if it has this setup: true. Otherwise starts one, with those that had been let in. */
  start(setup: ProxySetup): Promise<boolean>;
  stop(): Promise<void>;
  /** Removes its files, when it has stopped for good. */
  forget(): void;
  isAlive(): boolean;
  /** Lets users in, or gives those that are in another id. */
  add(users: readonly ProxyUser[]): Promise<void>;
  /** Nothing that these users send or receive passes afterwards, over open connections neither. Unknown names do not matter. */
  remove(names: readonly string[]): Promise<void>;
  listNames(): string[];
  /** Bytes of each user that has used this engine since it started. */
  readBytes(): Promise<Map<string, number>>;
}
