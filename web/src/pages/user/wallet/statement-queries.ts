import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';

export function statementQuery(period: string, page: number) {
  return queryOptions({
    queryKey: ['wallet', 'statement', period, page],
    queryFn: async ({ signal }) => (await api.getStatement({ query: { period, page } }, { signal })).data,
    placeholderData: keepPreviousData,
  });
}

export function ledgerQuery(day: string, page: number) {
  return queryOptions({
    queryKey: ['wallet', 'ledger', day, page],
    queryFn: async ({ signal }) => (await api.getStatementDay({ params: { day }, query: { page } }, { signal })).data,
    placeholderData: keepPreviousData,
  });
}
