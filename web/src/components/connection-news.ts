/** What the panel knew of the connection at a moment: the config of the device that came last, and since when it is on. */
interface Seen {
  readonly currentConfig: { readonly id: string } | null;
  readonly isConnected: boolean;
  readonly connectedSince: string | null;
}

/**
 * Whether a device came on or went off between two looks. Where one goes off while an older one is on, that one is
 * current again, and nothing has connected.
 */
export function connectionNews(before: Seen, after: Seen): 'connected' | 'ended' | undefined {
  const [was, is] = [before, after].map((seen) => (seen.isConnected ? seen.currentConfig?.id : undefined));
  if (was === is) return undefined;
  if (is === undefined) return 'ended';
  const isNew = was === undefined || (after.connectedSince ?? '') >= (before.connectedSince ?? '');
  return isNew ? 'connected' : 'ended';
}
