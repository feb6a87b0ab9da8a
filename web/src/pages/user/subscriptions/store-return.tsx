import { screen } from '@raha/contract/screen-timings.ts';
import { PackageCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useSearch } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';

/** Welcomes a user back from a store for ten seconds. What the address said is remembered: the address is cleaned. */
export function StoreReturn() {
  const search = useSearch('/user/subscriptions');
  const [arrival] = useState(search);
  const [isShown, setShown] = useState(arrival.store_redirect !== undefined);
  useEffect(() => {
    if (!isShown) return;
    const timer = setTimeout(() => setShown(false), screen.activation.returnMessageMs);
    return () => clearTimeout(timer);
  }, [isShown]);
  const hasCode = Boolean(arrival.gift_code ?? arrival.code ?? arrival.gift_card_code);
  return (
    <div role="status" className="contents">
      {isShown && (
        <section className="rounded-lg bg-success-soft px-5 py-4 flex items-start gap-4">
          <PackageCheck className="size-6 shrink-0 mt-0.5 text-success" aria-hidden />
          <div>
            <h2 className="font-bold">{m.store_returned()}</h2>
            <p className="text-sm text-text-2">{hasCode ? m.store_returned_code() : m.store_returned_no_code()}</p>
          </div>
        </section>
      )}
    </div>
  );
}
