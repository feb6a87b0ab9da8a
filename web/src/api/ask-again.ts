import type { InvalidateQueryFilters, QueryClient } from '@tanstack/react-query';

/** Requests what a screen shows of it; a hidden page does so when it is shown again, once. */
export function askAgain(queries: QueryClient, filters: InvalidateQueryFilters): void {
  const isHidden = typeof document !== 'undefined' && document.hidden;
  void queries.invalidateQueries(isHidden ? { ...filters, refetchType: 'none' } : filters);
}
