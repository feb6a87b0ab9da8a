import { apiBase, endpoints } from 'virtual:profile-endpoints';
import { ApiError, createClient } from '@raha/contract/client.ts';
import { limits } from '@raha/contract/limits.ts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { now } from '../../../api/clock.ts';
import { withoutDuplicates } from '../../../api/duplicates.ts';
import { sessionFetch } from '../../../api/session-fetch.ts';
import { canPush, isRefused, isSubscribed } from './push-subscription.ts';
import { shrinkPicture } from './shrink-picture.ts';

/** The calls of the profile, and what they answer by name. Under `me`, so that news of the account reach it. */
export const profileApi = createClient(endpoints, { baseUrl: apiBase, fetch: withoutDuplicates(sessionFetch, now) });

export const profileQuery = queryOptions({
  queryKey: ['me', 'profile'],
  queryFn: async ({ signal }) => (await profileApi.getProfile({}, { signal })).data.profile,
});

export const factorsQuery = queryOptions({
  queryKey: ['me', 'factors'],
  queryFn: async ({ signal }) => (await profileApi.listFactors({}, { signal })).data,
});

export const operatorActionsQuery = queryOptions({
  queryKey: ['me', 'operator-actions'],
  queryFn: async ({ signal }) => (await profileApi.listOperatorActions({}, { signal })).data.actions,
});

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }) => (await profileApi.getSettings({}, { signal })).data.settings,
});

export const choicesQuery = queryOptions({
  queryKey: ['settings', 'choices'],
  queryFn: async ({ signal }) => (await profileApi.getNotificationChoices({}, { signal })).data,
});

/** On when both sides say so: the server has the address, and the browser still takes what comes to it. */
export const pushQuery = queryOptions({
  queryKey: ['settings', 'push'],
  queryFn: async ({ signal }) => {
    if (!canPush()) return { state: 'absent' as const };
    if (isRefused()) return { state: 'refused' as const };
    const { publicKey, isOn } = (await api.getPush({}, { signal })).data;
    return { state: 'possible' as const, publicKey, isOn: isOn && (await isSubscribed()) };
  },
});

export const dnsFilteringQuery = queryOptions({
  queryKey: ['settings', 'dns-filtering'],
  queryFn: async ({ signal }) => (await profileApi.readDnsFiltering({}, { signal })).data,
});

/** A form with a file is no JSON: sent as it is. Throws `ApiError` as every call does. */
export async function uploadAvatar(file: File): Promise<void> {
  const body = new FormData();
  body.set('avatar', await shrinkPicture(file), file.name);
  const response = await sessionFetch(`${apiBase}/user/avatar`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body,
    signal: AbortSignal.timeout(limits.http.transferTimeoutMs),
  }).catch(() => undefined);
  if (!response) throw new ApiError(0, 'network', 'network');
  if (response.ok) return;
  const answer = (await response.json().catch(() => ({}))) as { message?: string; errors?: Record<string, string> };
  throw new ApiError(response.status, 'unknown', answer.message ?? 'unknown', { fields: answer.errors });
}

/** The server's own sentence where it said one; else the one that specification 2, section 8, gives this screen, alone. */
export function sentenceOr(error: unknown, fallback: string): string {
  if (!(error instanceof ApiError)) return fallback;
  if (error.code === 'duplicate') return '';
  const field = Object.values(error.fields)[0];
  return field ?? (['unknown', 'network'].includes(error.message) ? fallback : error.message);
}
