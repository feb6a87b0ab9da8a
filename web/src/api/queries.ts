import type { ProfileSystem } from '@raha/contract/public/configs.ts';
import { keepPreviousData, type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';
import { now } from './clock.ts';
import { dropFiles } from './last-known.ts';
import { type KnownDashboard, orLastKnown } from './or-last-known.ts';

/** Queries for data of the server. Events of the realtime stream invalidate them. */
export const configsQuery = queryOptions({
  queryKey: ['configs'],
  queryFn: async ({ signal, client, queryKey }) => {
    const first = await firstDashboard(client, queryKey);
    const configs = first
      ? [...first.activeConfigs, ...first.otherConfigs].sort((a, b) => b.created_at.localeCompare(a.created_at))
      : (await api.listConfigs({}, { signal })).data.configs;
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
  queryFn: async ({ signal, client, queryKey }) =>
    (await firstDashboard(client, queryKey))?.connection ?? (await api.connectionStatus({}, { signal })).data,
});

export const metricsQuery = queryOptions({
  queryKey: ['connection', 'metrics'],
  queryFn: async ({ signal }) => (await api.connectionMetrics({}, { signal })).data,
});

export const networkQuery = queryOptions({
  queryKey: ['connection', 'network'],
  queryFn: async ({ signal }) => (await api.getNetworkStatus({}, { signal })).data,
});

/** How devices get through on this network: a figure an hour, so it is asked for rarely. */
export const reachQuery = queryOptions({
  queryKey: ['connection', 'reach'],
  queryFn: async ({ signal }) => (await api.getReach({}, { signal })).data,
  staleTime: 300_000,
  retry: false,
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

/** For so long the dashboard's first answer counts as what is so now. */
const FIRST_MS = 2_000;

/**
 * The dashboard's first answer, if it is on its way or has just come: what it brings along is not requested as well. Only for a query
 * that has no answer yet: it is asked again when something has changed.
 */
async function firstDashboard(client: QueryClient, queryKey: QueryKey): Promise<KnownDashboard | undefined> {
  const query = client.getQueryCache().find<KnownDashboard>({ queryKey: dashboardQuery.queryKey });
  if (!query || client.getQueryData(queryKey) !== undefined) return undefined;
  const { data, dataUpdateCount, dataUpdatedAt, fetchStatus } = query.state;
  const isNew = dataUpdateCount === 1 && now() - dataUpdatedAt < FIRST_MS;
  const isComing = data === undefined && fetchStatus === 'fetching';
  const first = isComing ? await query.promise?.catch(() => undefined) : isNew ? data : undefined;
  return first?.knownAt === undefined ? first : undefined;
}

/** The last thirty days; the last seven come with the dashboard. */
export const trafficQuery = queryOptions({
  queryKey: ['dashboard', 'traffic'],
  queryFn: async ({ signal }) => (await api.getDashboardTraffic({ query: { period: '30d' } }, { signal })).data,
});
