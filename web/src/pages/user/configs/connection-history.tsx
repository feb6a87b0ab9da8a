import { limits } from '@raha/contract/limits.ts';
import type { PastConnection } from '@raha/contract/public/servers.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { LocationName } from '../../../components/location-name.tsx';
import { PagesNav } from '../../../components/pages-nav.tsx';
import { bytes, dateTime, duration, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

/** When devices were connected; asked for once somebody wants to see it. */
export default function ConnectionHistory() {
  const [open, setOpen] = useState(false);
  return (
    <section aria-labelledby="history" className="panel mt-8 p-4 sm:p-6">
      <h2 id="history" className="text-base font-bold">
        <button
          type="button"
          aria-expanded={open}
          aria-controls="history-lines"
          onClick={() => setOpen(!open)}
          className="w-full min-h-11 flex items-center gap-3 text-start rounded-sm"
        >
          <ChevronDown className={`size-4 text-text-3 transition-transform ${open ? 'rotate-180' : ''}`} aria-hidden />
          {m.history_title()}
        </button>
      </h2>
      <div id="history-lines" hidden={!open}>
        {open && <Lines />}
      </div>
    </section>
  );
}

function Lines() {
  const [page, setPage] = useState(1);
  const history = useQuery({
    queryKey: ['connection', 'history', page],
    queryFn: async ({ signal }) => (await api.listConnections({ query: { page } }, { signal })).data,
    placeholderData: keepPreviousData,
  });
  if (history.isError && !history.data) {
    return (
      <FailureCard
        title={m.history_failed()}
        error={history.error}
        busy={history.isFetching}
        onRetry={() => void history.refetch()}
      />
    );
  }
  if (!history.data) return <div className="skeleton h-28 mt-3" role="status" aria-label={m.loading()} />;
  const { connections, pagination } = history.data;
  return (
    <div aria-busy={history.isPlaceholderData}>
      <p className="text-sm text-text-2">{m.history_text({ days: number(limits.keptDays.connections) })}</p>
      {connections.length === 0 ? (
        <p className="py-8 text-center text-text-2">{m.history_empty()}</p>
      ) : (
        <ul className="mt-2 divide-y divide-line">
          {connections.map((connection) => (
            <Line key={`${connection.configId} ${connection.startedAt}`} connection={connection} />
          ))}
        </ul>
      )}
      <PagesNav {...pagination} onPage={setPage} />
    </div>
  );
}

function Line({ connection }: { connection: PastConnection }) {
  return (
    <li className="py-3 flex flex-wrap items-baseline gap-x-5 gap-y-1 text-sm">
      <span className="flex-1 min-w-48">
        <bdi className="font-medium [overflow-wrap:anywhere]">{connection.configName}</bdi>
        <span className="block text-xs text-text-3">
          <LocationName location={connection.server.location} />
        </span>
      </span>
      <span className="text-text-2">
        <time dateTime={connection.startedAt}>{dateTime(connection.startedAt)}</time>
      </span>
      <span className="text-text-2 min-w-28">
        {connection.endedAt === null ? (
          <span className="badge bg-success-soft text-success">{m.history_now()}</span>
        ) : (
          duration(connection.duration)
        )}
      </span>
      <span className="num font-bold min-w-24 text-end">{bytes(connection.bytes)}</span>
    </li>
  );
}
