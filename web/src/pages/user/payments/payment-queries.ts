import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import type { PaymentFilter } from './payment-filters.tsx';

/** Below `wallet`: whatever makes the wallet stale makes payments stale. */
export function paymentsQuery({ q, status, type }: PaymentFilter, page: number) {
  const query = { page, ...(q ? { q } : {}), ...(status ? { status } : {}), ...(type ? { type } : {}) };
  return queryOptions({
    queryKey: ['wallet', 'payments', query],
    queryFn: async ({ signal }) => (await api.listPayments({ query }, { signal })).data,
    placeholderData: keepPreviousData,
  });
}

export const paymentStatsQuery = queryOptions({
  queryKey: ['wallet', 'payment-stats'],
  queryFn: async ({ signal }) => (await api.getPaymentStats({ query: { period: 'all' } }, { signal })).data,
});
