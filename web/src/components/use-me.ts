import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/me.ts';

/** The signed-in user: from the cookie at once, then from `/auth/me`. */
export function useMe() {
  return useQuery(meQuery).data;
}
