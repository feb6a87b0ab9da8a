import * as z from 'zod/mini';
import { limits } from './limits.ts';

/** Shapes that several endpoints share. */

export const id = z.uuid();
export const idParams = z.object({ id });
export const instant = z.iso.datetime();
/** An integer number of toman. */
export const toman = z.int();
/** Number of an autonomous system, a network with one operator (RFC 6793). */
export const autonomousSystem = z.int().check(z.gte(1), z.lte(4_294_967_295));
/** What a complaint about a connection names (decision 117). */
export const traceProtocols = ['tcp', 'udp'] as const;
export const tracePort = z.int('invalid').check(z.gte(1, 'too_small'), z.lte(65_535, 'too_large'));
/** A count of bytes. */
export const bytes = z.int().check(z.nonnegative());

/** Page number and lines per page, as every list takes them. */
export const paging = z.object({
  page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(100_000)), 1),
  per_page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(limits.page.max)), limits.page.size),
});

/** Which page of a list it is, of how many, over how many lines. */
export const pagination = z.object({ page: z.int(), total_pages: z.int(), total: z.int() });

export const done = z.object({ success: z.literal(true), message: z.optional(z.string()) });

/** `{ success, data, message? }`, the envelope of most answers. */
export function wrapped<const S extends z.core.$ZodType>(data: S) {
  return z.object({ success: z.literal(true), data, message: z.optional(z.string()) });
}
