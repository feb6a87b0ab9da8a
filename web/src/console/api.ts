import { apiBase, endpoints } from 'virtual:admin-endpoints';
import { ApiError, createClient } from '@raha/contract/client.ts';
import { getLocale } from '../text/generated/runtime.js';

/** The calls of the console. The session is a cookie that no script reads; the header says that this is no form of another site. */
export const api = createClient(endpoints, {
  baseUrl: apiBase,
  headers: () => ({ 'accept-language': getLocale(), 'x-raha-console': '1' }),
});

export function hasCode(error: unknown, code: ApiError['code']): boolean {
  return error instanceof ApiError && error.code === code;
}

/** The address of a call that a browser fetches by itself: a file. */
export function apiAddress(path: string): string {
  return apiBase + path;
}
