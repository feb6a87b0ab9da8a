import type { ProfileSystem } from '@raha/contract/public/configs.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { dropFiles } from './last-known.ts';
import { orLastKnown } from './or-last-known.ts';

/** Queries for data of the server. Events of the realtime stream invalidate them. */
export const configsQuery = queryOptions({
  queryKey: ['configs'],
  queryFn: async ({ signal }) => {
    const { configs } = (await api.listConfigs({}, { signal })).data;
    dropFiles((id) => configs.some((config) => config.id === id));
    return configs;
  },
});

export const serversQuery = queryOptions({
  queryKey: ['servers'],
  queryFn: async ({ signal }) => (await api.listServers({}, { signal })).data.servers,
});

export const connectionQuery = queryOptions({
  queryKey: ['connection', 'status'],
  queryFn: async ({ signal }) => (await api.connectionStatus({}, { signal })).data,
});

export const metricsQuery = queryOptions({
  queryKey: ['connection', 'metrics'],
  queryFn: async ({ signal }) => (await api.connectionMetrics({}, { signal })).data,
});

export const networkQuery = queryOptions({
  queryKey: ['connection', 'network'],
  queryFn: async ({ signal }) => (await api.getNetworkStatus({}, { signal })).data,
});

/**
 * The client file of a config whose key the server keeps. It contains a private key, so it is not cached after its
 * screen.
 */
export function configFileQuery(id: string, system?: ProfileSystem) {
  return queryOptions({
    queryKey: ['config-file', id, ...(system ? [system] : [])],
    queryFn: ({ signal }) =>
      api.downloadConfig({ params: { id }, query: { system } }, { signal }) as Promise<unknown> as Promise<string>,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

export const walletQuery = queryOptions({
  queryKey: ['wallet', 'balance'],
  queryFn: async ({ signal }) => (await api.getWallet({}, { signal })).data,
});

export function transactionsQuery(page: number) {
  return queryOptions({
    queryKey: ['wallet', 'transactions', page],
    queryFn: async ({ signal }) => (await api.listWalletTransactions({ query: { page } }, { signal })).data,
    placeholderData: keepPreviousData,
  });
}

export const gatewaysQuery = queryOptions({
  queryKey: ['gateways'],
  queryFn: async ({ signal }) => (await api.listPaymentGateways({}, { signal })).data,
});

export const rateQuery = queryOptions({
  queryKey: ['rate'],
  queryFn: ({ signal }) => api.getUsdRate({}, { signal }),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await api.listSessions({}, { signal })).data.sessions,
});

export const storesQuery = queryOptions({
  queryKey: ['stores'],
  queryFn: async ({ signal }) => (await api.listStores({}, { signal })).data.stores,
});

export const plansQuery = queryOptions({
  queryKey: ['plans'],
  queryFn: async ({ signal }) => (await api.listPlans({}, { signal })).data.plans,
});

export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: async ({ signal }) => (await api.listNotifications({}, { signal })).data,
});

export const subscriptionsQuery = queryOptions({
  queryKey: ['subscriptions'],
  queryFn: async ({ signal }) => (await api.listSubscriptions({}, { signal })).data,
});

export const dashboardQuery = queryOptions({
  queryKey: ['dashboard', 'page'],
  queryFn: async ({ signal, client }) =>
    await orLastKnown(client, async () => (await api.getDashboard({}, { signal })).data),
});

/** The last thirty days; the last seven come with the dashboard. */
export const trafficQuery = queryOptions({
  queryKey: ['dashboard', 'traffic'],
  queryFn: async ({ signal }) => (await api.getDashboardTraffic({ query: { period: '30d' } }, { signal })).data,
});
