import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { screen } from '@raha/contract/screen-timings.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, RotateCcw } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { api } from '../../../api/client.ts';
import { serversQuery } from '../../../api/queries.ts';
import { FailureCard } from '../../../components/failure-card.tsx';
import { LocationName } from '../../../components/location-name.tsx';
import { Link } from '../../../routes/link.tsx';
import { degreesFromIran, type Priority, sayReasons, type Usage } from '../../../site-scripts/score-locations.ts';
import { milliseconds, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { ShowMore, useShownPart } from '../../../ui/show-more.tsx';
import { landingText } from '../../landing/landing-text.ts';
import { offeredServers } from '../configs/best-server.ts';
import type { OpenDialog } from '../configs/open-dialog.ts';
import { ReachAdvice } from '../shared/reach-advice.tsx';
import { MapView } from './map-view.tsx';
import { Preferences, Steps, suggestionFor, Thinking } from './preferences.tsx';
import { freeShare, locationOf, type RankedServer, rankServers } from './rank-servers.ts';

const ConfigDialogs = lazy(() => import('../configs/config-dialogs.tsx'));

/** So many of the best are asked whether they answer before three are suggested. */
const TRIED = 5;
const SUGGESTED = screen.demo.recommendations;
/** Of an operator's many servers; the suggestions come from all of them. */
const SHOWN_AT_FIRST = 20;

type Tested = RankedServer & { readonly answerMs: number | null };
type State =
  | { readonly step: 0 }
  | { readonly step: 1; readonly usage: Usage; readonly results: readonly Tested[] | undefined }
  | { readonly step: 2; readonly config: Config };

/** ARIA over the operator's own servers: what they measure, whether they answer, and a config on the one that is chosen. */
export default function RealAssistant() {
  const queries = useQueryClient();
  const servers = useQuery({ ...serversQuery, staleTime: 0 });
  const [state, setState] = useState<State>({ step: 0 });
  const [preferences, setPreferences] = useState<{ priority: Priority; usage: Usage }>({
    priority: 'speed',
    usage: 'streaming',
  });
  const [chosen, setChosen] = useState<string>();
  const [dialog, setDialog] = useState<OpenDialog>();
  if (servers.isError && !servers.data) {
    return (
      <FailureCard
        title={m.servers_failed()}
        error={servers.error}
        busy={servers.isFetching}
        onRetry={() => void servers.refetch()}
      />
    );
  }
  const offered = offeredServers(servers.data ?? []);
  const analyse = async (priority: Priority, usage: Usage) => {
    setPreferences({ priority, usage });
    setState({ step: 1, usage, results: undefined });
    const fresh = await queries.fetchQuery({ ...serversQuery, staleTime: 0 }).catch(() => servers.data ?? []);
    const results = await testAll(rankServers(offeredServers(fresh), priority, usage).slice(0, TRIED));
    // A config may have been made from the list meanwhile: that is further on.
    setState((now) => (now.step === 1 ? { ...now, results: results.slice(0, SUGGESTED) } : now));
    setChosen(results[0]?.server.id);
  };
  const create = (serverId: string) => {
    setChosen(serverId);
    setDialog({ kind: 'create', serverId });
  };
  const change = (open: OpenDialog | undefined) => {
    // The file is offered when a config has been made: that is the end of ARIA's way.
    if (open?.kind === 'file') setState({ step: 2, config: open.config });
    setDialog(open);
  };
  return (
    <div className="grid gap-4 sm:gap-5 xl:grid-cols-[1.5fr_1fr] items-start">
      <section className="night rounded-xl overflow-hidden p-3 sm:p-5" aria-label={m.aria_servers_map()}>
        <MapView
          label={m.aria_servers_map()}
          points={offered.flatMap((server) => {
            const location = locationOf(server);
            return location ? [{ key: server.id, location: location.key }] : [];
          })}
          chosen={chosen}
          onChoose={setChosen}
        />
        <ServerList chosen={chosen} servers={servers.data && offered} onChoose={setChosen} onCreate={create} />
      </section>
      <section className="panel p-5 sm:p-7 max-xl:order-first" aria-label={landingText().assistant.title}>
        <Steps current={state.step} />
        {state.step !== 2 && (
          <div className="mb-6 empty:hidden">
            <ReachAdvice servers={offered} />
          </div>
        )}
        {state.step === 0 && (
          <Preferences {...preferences} onAnalyse={(priority, usage) => void analyse(priority, usage)} />
        )}
        {state.step === 1 && !state.results && <Thinking />}
        {state.step === 1 && state.results && (
          <Suggestions
            results={state.results}
            usage={state.usage}
            onCreate={create}
            onRestart={() => setState({ step: 0 })}
          />
        )}
        {state.step === 2 && <Made config={state.config} onRestart={() => setState({ step: 0 })} />}
      </section>
      {dialog && (
        <Suspense>
          <ConfigDialogs open={dialog} onChange={change} />
        </Suspense>
      )}
    </div>
  );
}

/** Drops servers that do not answer the probe. A server whose test call failed keeps its rank, without a time. */
async function testAll(ranked: readonly RankedServer[]): Promise<Tested[]> {
  const tested = await Promise.all(
    ranked.map(async (each): Promise<Tested | undefined> => {
      try {
        const { data } = await api.testServer({ params: { id: each.server.id } });
        return data.reachable ? { ...each, server: data.server, answerMs: data.answerMs } : undefined;
      } catch {
        return { ...each, answerMs: null };
      }
    }),
  );
  return tested.filter((each) => each !== undefined);
}

interface ServerListProps {
  /** Undefined while they are on the way. */
  servers: ReturnType<typeof offeredServers> | undefined;
  chosen: string | undefined;
  onChoose(id: string): void;
  onCreate(id: string): void;
}

function ServerList({ servers, chosen, onChoose, onCreate }: ServerListProps) {
  const { shown, list, ...part } = useShownPart(servers ?? [], SHOWN_AT_FIRST);
  if (!servers) return <div className="h-24" role="status" aria-label={m.loading()} />;
  if (servers.length === 0) return <p className="p-4 text-on-night-2">{m.no_servers()}</p>;
  return (
    <div className="mt-2 max-h-80 overflow-y-auto p-1">
      <ul ref={list} className="grid gap-2 min-[768px]:grid-cols-2">
        {shown.map((server) => (
          <li
            key={server.id}
            data-chosen={server.id === chosen}
            className="rounded-md p-3 flex items-center gap-3 bg-[oklch(1_0_0/.06)] data-[chosen=true]:shadow-[inset_0_0_0_2px_var(--signal)]"
          >
            <button
              type="button"
              aria-pressed={server.id === chosen}
              className="flex-1 min-w-0 min-h-11 text-start rounded-sm"
              onClick={() => onChoose(server.id)}
            >
              <span className="block font-semibold">
                <LocationName location={server.location} />
              </span>
              <span className="block text-xs text-on-night-2">
                {measured(server.ping)} · {loadOf(server)}
              </span>
            </button>
            <button type="button" className="btn btn-night btn-sm" onClick={() => onCreate(server.id)}>
              {m.aria_take()}
              <span className="sr-only">
                {' '}
                <LocationName location={server.location} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <ShowMore {...part} className="btn-night btn-sm mt-3" />
    </div>
  );
}

interface SuggestionsProps {
  results: readonly Tested[];
  usage: Usage;
  onCreate(serverId: string): void;
  onRestart(): void;
}

function Suggestions({ results, usage, onCreate, onRestart }: SuggestionsProps) {
  const text = landingText().assistant;
  return (
    <>
      <p className="font-bold" role="status">
        {results.length === 0 ? m.aria_none() : results.length < SUGGESTED ? m.aria_fewer() : suggestionFor(usage)}
      </p>
      <ol className="grid gap-3 mt-4">
        {results.map(({ answerMs, ...ranked }, index) => (
          <li key={ranked.server.id} className="card p-4 flex flex-wrap items-center gap-x-4 gap-y-2">
            <bdi dir="ltr" className="font-code text-sm rounded-sm bg-surface-2 px-2 py-1 text-text-2">
              {ranked.server.location.country}
            </bdi>
            <span className="me-auto min-w-40">
              <b>
                <LocationName location={ranked.server.location} />
              </b>
              {index === 0 && <span className="badge bg-spark-soft text-spark-text ms-2">{text.best}</span>}
              <span className="block text-sm text-text-3">{reasonOf(ranked)}</span>
              {answerMs !== null && (
                <span className="block text-xs text-text-3">{m.aria_answered({ time: milliseconds(answerMs) })}</span>
              )}
            </span>
            <button
              type="button"
              className={`btn btn-sm ${index === 0 ? 'btn-primary' : 'btn-ghost'}`}
              onClick={() => onCreate(ranked.server.id)}
            >
              {m.aria_create()}
              <span className="sr-only">
                {' '}
                <LocationName location={ranked.server.location} />
              </span>
            </button>
          </li>
        ))}
      </ol>
      <Restart onRestart={onRestart} />
    </>
  );
}

function Made({ config, onRestart }: { config: Config; onRestart(): void }) {
  return (
    <div className="grid justify-items-start gap-2">
      <CircleCheck className="size-12 text-success" aria-hidden />
      <p className="text-xl font-black [overflow-wrap:anywhere]" role="status">
        {m.config_created()}: <bdi>{config.name}</bdi>
      </p>
      <p className="text-text-2">{m.aria_made_text()}</p>
      <Link to={paths.configs} search={{}} className="btn btn-primary btn-sm mt-2">
        {m.aria_to_configs()}
      </Link>
      <Restart onRestart={onRestart} />
    </div>
  );
}

function Restart({ onRestart }: { onRestart(): void }) {
  return (
    <button type="button" className="btn btn-ghost btn-sm mt-4" onClick={onRestart}>
      <RotateCcw className="size-4" aria-hidden />
      {landingText().assistant.restart}
    </button>
  );
}

/** From the figures by which it was ranked; what has not been measured is named, not guessed. */
function reasonOf({ server, location, reasons }: RankedServer): string {
  const figures = {
    ping: number(server.ping ?? 0),
    distance: number(location ? Math.round(degreesFromIran(location)) : 0),
    room: number(Math.round(freeShare(server) * 100)),
  };
  const texts = { ...landingText().assistant.reasons, room: m.aria_reason_free({ n: '{n}' }) };
  const sentence = sayReasons(texts, reasons, (part) => figures[part]);
  return server.ping === null ? `${sentence} ${m.aria_not_measured()}.`.trim() : sentence;
}

function measured(ping: number | null): string {
  return ping === null ? m.aria_not_measured() : m.measured_ping({ time: milliseconds(ping) });
}

function loadOf(server: { readonly performance: { readonly currentLoad: number } }): string {
  return m.load({ percent: number(Math.round(Math.min(1, Math.max(0, server.performance.currentLoad)) * 100)) });
}
