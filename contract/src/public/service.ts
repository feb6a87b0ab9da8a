import * as z from 'zod/mini';
import { instant } from '../shapes.ts';

export const serviceStates = ['on', 'cut', 'empty', 'not_activated'] as const;

/** Whether the service is there for a user. The server decides; every screen says the same. */
export const service = z.object({
  /**
   * `cut`: a config has used up what was paid, and nothing pays for more. `empty`: nothing was cut, but nothing would
   * pay either. `not_activated`: a gift card comes first.
   */
  state: z.enum(serviceStates),
  /** What had paid for the last bytes before a cut. */
  cause: z.nullable(z.enum(['money', 'plan', 'trial'])),
  /** Since when it is cut. */
  since: z.nullable(instant),
  /**
   * How the latest cut ended: when leases were raised, and when a server confirmed that it lets traffic pass again. Null
   * while the service is cut, and if it never was.
   */
  restored: z.nullable(z.object({ stopped_at: instant, restored_at: instant, opened_at: z.nullable(instant) })),
});
export type Service = z.output<typeof service>;
