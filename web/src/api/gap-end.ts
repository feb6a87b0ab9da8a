import type { RealtimeEvent } from '@raha/contract/public/realtime.ts';

/**
 * For each event of a stream, up to when what the panel holds may have missed changes. At the first `hello` that is when the
 * stream was requested. A later one follows a gap within the stream, while the server had lost its database: whatever the panel
 * holds may be older.
 */
export function createGapEnd(openedAt: number): (event: RealtimeEvent) => number {
  let isFirst = true;
  return ({ type }) => {
    if (type !== 'hello') return openedAt;
    const end = isFirst ? openedAt : Number.POSITIVE_INFINITY;
    isFirst = false;
    return end;
  };
}
