import type { limits } from '@raha/contract/limits.ts';

/** How long the rows of a table are kept. A module declares its tables in `retention.ts`; `app/retention.ts` has them all. */
export type Retention =
  /** Deleted by a schedule so many days after what `after` says. `leaves`: which rows stay, or what of a row does. */
  | {
      readonly days: keyof typeof limits.keptDays;
      readonly after: string;
      readonly schedule: string;
      readonly leaves?: string;
    }
  /** Deleted at that moment, or, if there is a schedule, by it some minutes later. */
  | { readonly until: string; readonly schedule?: string }
  /** Never deleted, because … */
  | { readonly ever: string };

export type TableRetention = Readonly<Record<string, Retention>>;
