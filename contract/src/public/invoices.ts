import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { limits } from '../limits.ts';
import { id, idParams, instant, toman, wrapped } from '../shapes.ts';

/** Receipt of a payment, note of a refund or reversal, invoice and credit note of a plan, invoice of a month's usage. */
export const invoiceTypes = ['receipt', 'refund', 'reversal', 'plan', 'plan_credit', 'usage'] as const;

/** The Jalali year and a number in it without gaps: 1405-000123. */
const invoiceNumber = z.string('invalid').check(z.regex(/^1[34]\d\d-\d{6,9}$/, 'invalid'));

export const invoiceRecord = z.object({
  id,
  number: invoiceNumber,
  type: z.enum(invoiceTypes),
  title: z.string(),
  description: z.string(),
  /** VAT included; negative where something goes back to the buyer. */
  amount: toman,
  /** Contained in `amount`; 0 where there is none. */
  vat: toman,
  vat_percent: z.int(),
  /** The number of the document of which this takes something back. */
  corrects: z.nullable(invoiceNumber),
  /** The document as a PDF. */
  file_url: z.string(),
  issued_at: instant,
});
export type InvoiceRecord = z.output<typeof invoiceRecord>;

export const invoices = {
  listInvoices: defineEndpoint({
    method: 'GET',
    path: '/invoices',
    aliases: ['/user/invoices'],
    caller: 'user',
    summary: 'Receipts, invoices and credit notes of the user, newest first',
    query: z.object({
      /** Documents before this number; the answer's `next`. */
      before: z.optional(invoiceNumber),
      per_page: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(limits.page.max)), limits.page.size),
    }),
    response: wrapped(
      z.object({
        invoices: z.array(invoiceRecord),
        /** Where the older ones begin; null when there are none. */
        next: z.nullable(invoiceNumber),
      }),
    ),
  }),
  downloadInvoice: defineEndpoint({
    method: 'GET',
    path: '/invoices/{id}/file',
    caller: 'user',
    summary: 'A document as a PDF in Persian',
    params: idParams,
    produces: 'application/pdf',
  }),
};
