/**
 * receipt: a payment was credited; refund, reversal: (part of) it went back to the payer, by us or by the bank; plan: a
 * plan was bought; plan_credit: one ended early and something was credited; usage: what a month's traffic cost.
 */
export type DocumentKind = 'receipt' | 'refund' | 'reversal' | 'plan' | 'plan_credit' | 'usage';

/** Money that comes in or goes back is no supply: VAT is in what was bought with it. */
export const isTaxed = (kind: DocumentKind): boolean => kind === 'plan' || kind === 'plan_credit' || kind === 'usage';

/** Documents that take something of another back. */
export const isCredit = (kind: DocumentKind): boolean =>
  kind === 'refund' || kind === 'reversal' || kind === 'plan_credit';

/** The VAT contained in a price, rounded half up. */
export function vatOf(amountToman: bigint, percent: number): bigint {
  return divideHalfUp(amountToman * BigInt(percent), 100n + BigInt(percent));
}

/** The part of an invoice's VAT that a credit of it takes back; all of it when the whole price is credited. */
export function vatOfCredit(
  creditToman: bigint,
  invoice: { readonly amountToman: bigint; readonly vatToman: bigint },
): bigint {
  return divideHalfUp(invoice.vatToman * creditToman, invoice.amountToman);
}

/** The number as it is printed: 1405-000123. */
export function numberOf({ year, number }: { readonly year: number; readonly number: number }): string {
  return `${year}-${String(number).padStart(6, '0')}`;
}

function divideHalfUp(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
