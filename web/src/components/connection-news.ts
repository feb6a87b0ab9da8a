/** The connection at a moment: the config of the device that connected last, and since when. */
interface Seen {
  readonly currentConfig: { readonly id: string } | null;
  readonly isConnected: boolean;
  readonly connectedSince: string | null;
}

/**
 * Whether a device connected or disconnected between two states. If one disconnects while an older one is connected,
 * the older one becomes current again; that is not a new connection.
 */
export function connectionNews(before: Seen, after: Seen): 'connected' | 'ended' | undefined {
  const [was, is] = [before, after].map((seen) => (seen.isConnected ? seen.currentConfig?.id : undefined));
  if (was === is) return undefined;
  if (is === undefined) return 'ended';
  const isNew = was === undefined || (after.connectedSince ?? '') >= (before.connectedSince ?? '');
  return isNew ? 'connected' : 'ended';
}
