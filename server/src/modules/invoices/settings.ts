import * as z from 'zod/mini';
import { defineSetting } from '../../platform/settings.ts';

const line = (most: number) => z.string().check(z.trim(), z.minLength(1), z.maxLength(most), z.regex(/^\P{Cc}+$/u));
const digits = z.string().check(z.regex(/^[0-9]{4,20}$/));

/** Who sells, as it stands on every document; the law asks for more of it the larger the seller is. */
const seller = z.strictObject({
  name: line(100),
  nationalId: z.optional(digits),
  economicCode: z.optional(digits),
  registrationNumber: z.optional(z.string().check(z.regex(/^[0-9]{1,20}$/))),
  address: z.optional(line(200)),
  postalCode: z.optional(z.string().check(z.regex(/^[0-9]{10}$/))),
  phone: z.optional(z.string().check(z.regex(/^[0-9+ -]{4,20}$/))),
});
export type Seller = z.output<typeof seller>;

/** One value, so that no document ever shows half of a change. Null: documents show the brand's name only. */
export const sellerIdentity = defineSetting('invoices.seller', z.nullable(seller), null);

/** VAT in percent; prices include it. 0: none. */
export const vatPercent = defineSetting('invoices.vatPercent', z.int().check(z.gte(0), z.lte(50)), 0);
