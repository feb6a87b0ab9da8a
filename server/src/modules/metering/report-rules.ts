import { limits } from '@raha/contract/limits.ts';
import type { UsageReport } from '@raha/contract/node/protocol.ts';

/** PostgreSQL's largest integer. As seconds 68 years, as milliseconds of a round trip 24 days. */
const MAX_INTEGER = 2 ** 31 - 1;

/**
 * Whether a report's numbers can have been measured. A larger one can only be invented, and would not fit into our tables or
 * into the limit that we answer with: the bytes counted in an epoch plus the rest of a lease must be exact in JSON. A clock
 * may be wrong by decades, as on a machine that starts in 1970, so it proves nothing.
 */
export function isPossible({ samples, tunnels }: Pick<UsageReport, 'samples' | 'tunnels'>): boolean {
  const { maxTotalBytes } = limits.node;
  return (
    samples.every((one) => one.up <= maxTotalBytes && one.down <= maxTotalBytes && one.leaseVersion <= MAX_INTEGER) &&
    tunnels.every(
      ({ handshakeAgeSeconds, pingMs }) =>
        handshakeAgeSeconds <= MAX_INTEGER && (pingMs ?? 0) >= 0 && (pingMs ?? 0) <= MAX_INTEGER,
    )
  );
}
