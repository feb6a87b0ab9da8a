import * as z from 'zod/mini';
import { instant } from '../shapes.ts';

/** What stands of everything that one member proposes and another decides, whatever it is. */
export const proposed = {
  reason: z.string(),
  proposed_by: z.string(),
  proposed_at: instant,
  expires_at: instant,
  state: z.enum(['open', 'done', 'declined', 'withdrawn', 'expired']),
  /** Null: nobody yet, or no member. */
  decided_by: z.nullable(z.string()),
  decided_at: z.nullable(instant),
  alone: z.boolean(),
  /** Of an open one, whether the caller proposed it. */
  is_own: z.boolean(),
  /** Of the caller’s own: from when on they may approve it, if nobody else may. */
  alone_from: z.nullable(instant),
};
