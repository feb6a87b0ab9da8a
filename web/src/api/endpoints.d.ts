/** The endpoint table without its schemas: the build strips them, so that zod stays out of the first load. */
declare module 'virtual:endpoints' {
  import type { factors } from '@raha/contract/public/factors.ts';
  import type { notifications } from '@raha/contract/public/notifications.ts';
  import type { profileCalls } from '@raha/contract/public/profile.ts';
  import type { publicEndpoints } from '@raha/contract/public/table.ts';

  type OfProfile =
    | keyof typeof profileCalls
    | keyof typeof factors
    | Extract<keyof typeof notifications, `${string}Choices`>;
  export const endpoints: Omit<typeof publicEndpoints, OfProfile | `${string}nsubscribe`>;
  export const apiBase: string;
}

/** All calls of the console. */
declare module 'virtual:admin-endpoints' {
  import type { adminEndpoints } from '@raha/contract/admin/table.ts';

  export const endpoints: typeof adminEndpoints;
  export const apiBase: string;
}

/** The only call of the entry file: who is signed in. */
declare module 'virtual:first-endpoints' {
  import type { publicEndpoints } from '@raha/contract/public/table.ts';

  export const endpoints: Pick<typeof publicEndpoints, 'me'>;
  export const apiBase: string;
}

/** Calls that only the profile makes; loaded with its screen. */
declare module 'virtual:profile-endpoints' {
  import type { factors } from '@raha/contract/public/factors.ts';
  import type { notifications } from '@raha/contract/public/notifications.ts';
  import type { profileCalls } from '@raha/contract/public/profile.ts';

  export const endpoints: typeof profileCalls &
    typeof factors &
    Pick<typeof notifications, 'getNotificationChoices' | 'updateNotificationChoices' | 'turnPushOn' | 'turnPushOff'>;
  export const apiBase: string;
}
