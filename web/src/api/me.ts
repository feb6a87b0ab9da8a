import { apiBase, endpoints } from 'virtual:first-endpoints';
import { createClient } from '@raha/contract/client.ts';
import { queryOptions } from '@tanstack/react-query';
import { readUser, storeUser } from './session.ts';
import { sessionFetch } from './session-fetch.ts';

/** In the entry file, because the guards need it; other queries are loaded with the screens. */
const first = createClient(endpoints, { baseUrl: apiBase, fetch: sessionFetch });

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const { user } = await first.me({}, { signal });
    const { service: _service, ...lasting } = user;
    // As the server's cookie has it: how the service was then would be shown as if it were so now.
    storeUser(lasting);
    return user;
  },
  initialData: readUser,
  initialDataUpdatedAt: 0,
});
