import { apiBase, endpoints } from 'virtual:endpoints';
import { createClient } from '@raha/contract/client.ts';
import { sessionFetch } from './session-fetch.ts';

export const api = createClient(endpoints, { baseUrl: apiBase, fetch: sessionFetch });
