/** The endpoint table without its schemas: the build strips them, so that zod stays out of the first load. */
declare module 'virtual:endpoints' {
  import type { publicEndpoints } from '@raha/contract/public/table.ts';

  export const endpoints: typeof publicEndpoints;
  export const apiBase: string;
}
