import { ApiError } from '@raha/contract/client.ts';
import type { Dashboard } from '@raha/contract/public/dashboard.ts';
import type { QueryClient } from '@tanstack/react-query';
import { now } from './clock.ts';
import { keepFigures, readLastKnown } from './last-known.ts';

/** The dashboard as the server answered; with `knownAt`, as it was then, in milliseconds since the epoch. */
export type KnownDashboard = Dashboard & { readonly knownAt?: number };

/** How long a network may stay silent before the figures of the last visit are shown. */
const PATIENCE_MS = 4_000;
const key = ['dashboard', 'page'] as const;

/** Asks for the dashboard; as long as there is no answer, the figures of the last visit stand in for it, marked as such. */
export async function orLastKnown(client: QueryClient, ask: () => Promise<Dashboard>): Promise<KnownDashboard> {
  const showLastKnown = () => {
    const known = readLastKnown()?.figures;
    if (!known || client.getQueryData(key) !== undefined) return;
    client.setQueryData<KnownDashboard>(key, { ...known.dashboard, knownAt: known.at }, { updatedAt: known.at });
  };
  const timer = setTimeout(showLastKnown, PATIENCE_MS);
  try {
    const dashboard = await ask();
    keepFigures(dashboard, now());
    return dashboard;
  } catch (error) {
    if (isOutOfReach(error)) showLastKnown();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** No answer of ours: none at all, or that of a proxy behind which nothing is there. */
export function isOutOfReach(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'network' || (error.status >= 502 && error.status <= 504));
}
