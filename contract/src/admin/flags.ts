import * as z from 'zod/mini';
import { staffRoles } from './roles.ts';

/**
 * The value of a flag: for how many of a hundred users something is on (0: for nobody, 100: for everybody), who looks after it (a role of
 * staff, or one member by id), and the day of Tehran by which it is to be gone from the product.
 */
export const flagValue = z.strictObject({
  percent: z.int('invalid').check(z.gte(0, 'too_small'), z.lte(100, 'too_large')),
  owner: z.union([z.enum(staffRoles), z.uuid()], 'invalid'),
  until: z.iso.date('invalid'),
});
export type FlagValue = z.output<typeof flagValue>;
