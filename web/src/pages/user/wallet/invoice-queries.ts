import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';

/** The documents before a number; the newest without one. */
export function invoicesQuery(before: string | undefined) {
  return queryOptions({
    queryKey: ['wallet', 'invoices', before ?? ''],
    queryFn: async ({ signal }) =>
      (await api.listInvoices({ query: before === undefined ? {} : { before } }, { signal })).data,
    placeholderData: keepPreviousData,
  });
}
