import type { QueryClient } from '@tanstack/react-query';
import { meQuery } from '../api/me.ts';

/** Reloads the balance in the header and on the wallet's screens. */
export async function refreshBalance(queries: QueryClient): Promise<void> {
  await Promise.all([
    queries.invalidateQueries({ queryKey: meQuery.queryKey, exact: true }),
    queries.invalidateQueries({ queryKey: ['wallet'] }),
  ]);
}
