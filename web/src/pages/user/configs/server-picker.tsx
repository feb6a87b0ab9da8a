import type { Server } from '@raha/contract/public/configs.ts';
import { LocationName } from '../../../components/location-name.tsx';
import { milliseconds, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

interface ServerPickerProps {
  /** Undefined while they are on the way. */
  servers: readonly Server[] | undefined;
  value: string | undefined;
  onChange(id: string): void;
}

/** Radio rows instead of a select: place, load and ping are what people choose by. */
export function ServerPicker({ servers, value, onChange }: ServerPickerProps) {
  return (
    <fieldset>
      <legend className="text-sm font-semibold text-text-2 mb-1.5">{m.server()}</legend>
      {servers === undefined ? (
        <div className="grid gap-2" role="status" aria-label={m.loading()}>
          {[0, 1, 2].map((index) => (
            <div key={index} className="skeleton h-15 !rounded-md" />
          ))}
        </div>
      ) : servers.length === 0 ? (
        <p className="rounded-md bg-spark-soft text-spark-text px-4 py-3 text-sm font-medium">{m.no_servers()}</p>
      ) : (
        <div className="grid gap-2 max-h-[min(17.5rem,32dvh)] overflow-y-auto overscroll-contain p-0.5 -m-0.5">
          {servers.map((server, index) => (
            <ServerRow
              key={server.id}
              server={server}
              isBest={index === 0}
              isChosen={server.id === value}
              onChoose={() => onChange(server.id)}
            />
          ))}
        </div>
      )}
    </fieldset>
  );
}

interface ServerRowProps {
  server: Server;
  isBest: boolean;
  isChosen: boolean;
  onChoose(): void;
}

function ServerRow({ server, isBest, isChosen, onChoose }: ServerRowProps) {
  const { country } = server.location;
  const load = Math.round(Math.min(1, Math.max(0, server.performance.currentLoad)) * 100);
  return (
    <label className="[content-visibility:auto] [contain-intrinsic-size:auto_3.75rem] flex items-center gap-3 min-h-15 rounded-md px-3.5 py-2 cursor-pointer shadow-[inset_0_0_0_1px_var(--line)] hover:bg-surface-2 has-checked:shadow-[inset_0_0_0_2px_var(--accent)] has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2">
      <input type="radio" name="server" className="sr-only" checked={isChosen} onChange={onChoose} />
      <bdi dir="ltr" className="font-code text-sm text-text-2 w-7 shrink-0" aria-hidden>
        {country}
      </bdi>
      <span className="flex-1 min-w-0">
        <span className="font-semibold">
          <LocationName location={server.location} />
        </span>
        {isBest && <span className="badge bg-success-soft text-success ms-2">{m.best_server()}</span>}
        <span className="block text-xs text-text-3">
          {server.ping === null ? m.ping_not_measured() : m.measured_ping({ time: milliseconds(server.ping) })}
        </span>
      </span>
      <span className="text-xs text-text-3 text-end shrink-0">
        {m.load({ percent: number(load) })}
        <span
          className="block w-16 h-1.5 mt-1 rounded-full bg-surface-2 overflow-hidden shadow-[inset_0_0_0_1px_var(--line)]"
          aria-hidden
        >
          <i
            className={`block h-full rounded-full ${load > 60 ? 'bg-spark' : 'bg-chart'}`}
            style={{ width: `${load}%` }}
          />
        </span>
      </span>
    </label>
  );
}
