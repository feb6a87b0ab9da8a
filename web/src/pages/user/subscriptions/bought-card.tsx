import { queryOptions, useQuery } from '@tanstack/react-query';
import { PackageCheck } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useMe } from '../../../components/use-me.ts';
import { useSearch } from '../../../routes/navigation.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';

const LAST_VISIT = 'store-visit';

/**
 * Remembered for this tab and user, so that a card that was bought is found although the store did not send the browser
 * back.
 */
export function rememberVisit(userId: string, id: string): void {
  sessionStorage.setItem(LAST_VISIT, `${userId} ${id}`);
}

/** The last visit of this user; somebody else may have used this tab before. */
function visitOf(userId: string | undefined): string {
  const [owner, id] = sessionStorage.getItem(LAST_VISIT)?.split(' ') ?? [];
  return owner === userId ? (id ?? '') : '';
}

function visitQuery(id: string) {
  return queryOptions({
    queryKey: ['store-visit', id],
    queryFn: async ({ signal }) => (await api.getStoreRedirect({ params: { id } }, { signal })).data,
    retry: false,
    gcTime: 0,
  });
}

/** The store has said that the card is bought, and the browser does not carry its code: it is offered here. */
export function BoughtCard({ onTake }: { onTake(code: string): void }) {
  const { gift_code, code, gift_card_code } = useSearch('/user/subscriptions');
  const [isSentBack] = useState(() => Boolean(gift_code || code || gift_card_code));
  const me = useMe();
  const id = isSentBack ? '' : visitOf(me?.id);
  const [isTaken, setTaken] = useState(false);
  const { data } = useQuery({ ...visitQuery(id), enabled: id !== '' });
  const bought = data?.gift_code;
  return (
    <div role="status" className="contents">
      {bought && !isTaken && (
        <section className="rounded-lg bg-success-soft px-5 py-4 flex flex-wrap items-center gap-x-4 gap-y-3">
          <PackageCheck className="size-6 shrink-0 text-success" aria-hidden />
          <div className="flex-1 min-w-52">
            <h2 className="font-bold">{m.bought_heading()}</h2>
            <p className="text-sm text-text-2">
              <bdi dir="ltr" className="font-code">
                {bought}
              </bdi>
            </p>
          </div>
          <Button
            className="btn btn-ghost btn-sm"
            onClick={() => {
              setTaken(true);
              onTake(bought);
            }}
          >
            {m.bought_take()}
          </Button>
        </section>
      )}
    </div>
  );
}
