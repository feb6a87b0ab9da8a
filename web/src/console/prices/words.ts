import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';

/** «۳ سنت (۳٬۰۰۰ تومان)»: with toman at the rate of this moment, if there is one. */
export function priceOf(
  { usd_cents_per_gb: cents }: { readonly usd_cents_per_gb: number },
  rate: number | null = null,
): string {
  const price = m.console_price_of({ cents: number(cents) });
  if (rate === null) return price;
  return m.console_price_with_toman({ price, toman: number(Math.floor((cents * rate) / 100)) });
}
