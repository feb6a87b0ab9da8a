import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { screen } from '@raha/contract/screen-timings.ts';
import { useQuery } from '@tanstack/react-query';
import { ArrowUpLeft, Store as StoreIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api } from '../../../api/client.ts';
import { now } from '../../../api/clock.ts';
import { errorSentence } from '../../../api/error-sentence.ts';
import { storesQuery } from '../../../api/queries.ts';
import { useMe } from '../../../components/use-me.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';
import { FieldNote } from '../../../ui/text-field.tsx';
import { useLeaving } from '../../../ui/use-leaving.ts';
import { rememberVisit } from './bought-card.tsx';
import { createVisits, type Visit } from './store-visit.ts';

/** Kept outside the page: going away and coming back does not make a store new. */
const visit = createVisits(
  {
    redirect: (store) =>
      api.redirectToStore(
        { params: { store }, body: { return_url: paths.activation, request_id: crypto.randomUUID() } },
        { timeoutMs: screen.store.requestTimeoutMs },
      ),
    url: (store) =>
      api.getStoreUrl(
        { params: { store }, query: { return_url: paths.activation } },
        { timeoutMs: screen.store.requestTimeoutMs },
      ),
  },
  now,
);

/** The stores that sell cards; a press leads there a second later. */
export function StorePicker() {
  const me = useMe();
  const stores = useQuery(storesQuery);
  const [asking, setAsking] = useState<string>();
  const [way, setWay] = useLeaving<{ readonly slug: string; readonly url: string }>();
  const leaving = way?.slug;
  const [problem, setProblem] = useState<string>();

  const go = async (slug: string) => {
    setProblem(undefined);
    setAsking(slug);
    const outcome = await visit(slug);
    setAsking(undefined);
    if (outcome.kind !== 'leave') return setProblem(problemOf(outcome));
    if (me) rememberVisit(me.id, outcome.id);
    setWay({ slug, url: outcome.url });
  };

  // If another screen has been opened meanwhile, that screen stays.
  useEffect(() => {
    if (!way) return;
    const timer = setTimeout(() => location.assign(way.url), screen.store.redirectDelayMs);
    return () => clearTimeout(timer);
  }, [way]);

  return (
    <section className="panel p-5 sm:p-7" aria-labelledby="stores">
      <h2 id="stores" className="text-lg font-bold">
        {m.stores_heading()}
      </h2>
      <p className="text-sm text-text-2 mt-1">{stores.data?.length === 0 ? m.no_stores() : m.stores_text()}</p>
      <div className="grid sm:grid-cols-2 gap-3 mt-4">
        {stores.isPending && <div className="skeleton h-24 !rounded-md" role="status" aria-label={m.loading()} />}
        {stores.data?.map(({ slug, name, description, test }) => (
          <button
            key={slug}
            type="button"
            aria-busy={asking === slug || leaving === slug || undefined}
            aria-disabled={asking !== undefined || leaving !== undefined || undefined}
            onClick={() => asking === undefined && leaving === undefined && void go(slug)}
            className="group grid grid-cols-[auto_1fr_auto] items-start gap-x-3 text-start rounded-md px-4 py-3.5 min-h-24 cursor-pointer shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 focus-visible:outline-2 focus-visible:outline-accent focus-visible:outline-offset-2 aria-disabled:cursor-default"
          >
            <span className="grid place-items-center size-10 rounded-md bg-accent-soft text-accent">
              <StoreIcon className="size-5" aria-hidden />
            </span>
            <span className="min-w-0">
              <bdi className="block font-bold">{leaving === slug ? m.store_going() : m.store_go({ store: name })}</bdi>
              <span className="block text-sm text-text-2">{description}</span>
              {test && <span className="badge bg-spark-soft text-spark-text mt-1.5">{m.store_test()}</span>}
            </span>
            <ArrowUpLeft className="size-5 text-text-3 ltr:-scale-x-100 group-hover:text-accent" aria-hidden />
          </button>
        ))}
      </div>
      {stores.isError && !stores.data && (
        <>
          <FieldNote problem={errorSentence(stores.error, m.stores_failed())} />
          <Button className="btn btn-ghost btn-sm mt-3" busy={stores.isFetching} onClick={() => void stores.refetch()}>
            {m.try_again()}
          </Button>
        </>
      )}
      <FieldNote problem={problem} />
    </section>
  );
}

function problemOf(outcome: Exclude<Visit, { kind: 'leave' }>): string | undefined {
  if (outcome.kind === 'wait') return m.store_wait({ seconds: number(outcome.seconds) });
  if (outcome.kind === 'refused') return errorSentence(outcome.error) || undefined;
  return outcome.kind === 'unreachable' ? m.store_unreachable() : undefined;
}
