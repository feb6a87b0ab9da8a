/** The operator's zone, in which the entries of nodes have names. */
export interface EntryDns {
  readonly zone: string;
  /** The name leads to these addresses and no others; none: it leads nowhere. Throws when the name server did not take it. */
  set(name: string, addresses: readonly string[]): Promise<void>;
}
