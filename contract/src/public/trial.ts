import * as z from 'zod/mini';
import { bytes, instant } from '../shapes.ts';

/** A trial until its last day; after that it is not shown. */
export const trial = z.object({
  /** The last day, also if the trial ended before it. */
  lastDay: instant,
  /** Free traffic in all, and how much of it is used. */
  limit_bytes: bytes,
  used_bytes: bytes,
  /** Why it ended early: its traffic is used up, or the mailbox or phone number had a trial before. Null while it runs. */
  ended: z.nullable(z.enum(['traffic', 'earlier'])),
  /** Whether usage counts only after activation with a gift card, which has not happened yet. */
  needsActivation: z.boolean(),
});
export type Trial = z.output<typeof trial>;
