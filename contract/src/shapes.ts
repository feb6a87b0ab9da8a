import * as z from 'zod/mini';

/** Shapes that several endpoints share. */

export const id = z.uuid();
export const idParams = z.object({ id });
export const instant = z.iso.datetime();
/** An integer number of toman. */
export const toman = z.int();
/** A count of bytes. */
export const bytes = z.int().check(z.nonnegative());

export const done = z.object({ success: z.literal(true), message: z.optional(z.string()) });

/** `{ success, data, message? }`, the envelope of most answers. */
export function wrapped<const S extends z.core.$ZodType>(data: S) {
  return z.object({ success: z.literal(true), data, message: z.optional(z.string()) });
}
