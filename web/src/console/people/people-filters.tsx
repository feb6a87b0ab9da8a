import { listedStates, type PeopleFilter } from '@raha/contract/admin/people.ts';
import { useId } from 'react';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { useAnswer } from '../use-answer.ts';
import { statusNames } from './words.ts';

/** From the address. */
export function readFilter(query: URLSearchParams): PeopleFilter {
  const state = listedStates.find((name) => name === query.get('state'));
  const server = /^[0-9a-f-]{36}$/.exec(query.get('server') ?? '')?.[0];
  return { ...(state ? { state } : {}), ...(server ? { server } : {}) };
}

export function isFiltered({ state, server }: PeopleFilter): boolean {
  return state !== undefined || server !== undefined;
}

/** Those of a state, and those who have a config on a server. */
export function PeopleFilters({ filter, onShow }: { filter: PeopleFilter; onShow: (filter: PeopleFilter) => void }) {
  const id = useId();
  const servers = useAnswer('servers', async () => (await api.listLiveNodes()).data.nodes).data ?? [];
  const { state: _state, ...withoutState } = filter;
  const { server: _server, ...withoutServer } = filter;
  const isKnown = filter.server === undefined || servers.some((server) => server.id === filter.server);
  return (
    <div className="c-people-filters">
      <div className="c-field">
        <label htmlFor={`${id}-state`}>{m.console_user_state()}</label>
        <select
          id={`${id}-state`}
          className="c-input"
          value={filter.state ?? ''}
          onChange={(event) => {
            const state = listedStates.find((name) => name === event.currentTarget.value);
            onShow(state ? { ...filter, state } : withoutState);
          }}
        >
          <option value="">{m.console_timeline_all()}</option>
          {listedStates.map((name) => (
            <option key={name} value={name}>
              {statusNames[name]()}
            </option>
          ))}
        </select>
      </div>
      <div className="c-field">
        <label htmlFor={`${id}-server`}>{m.console_people_server()}</label>
        <select
          id={`${id}-server`}
          className="c-input"
          value={filter.server ?? ''}
          onChange={(event) => {
            const server = event.currentTarget.value;
            onShow(server === '' ? withoutServer : { ...filter, server });
          }}
        >
          <option value="">{m.console_people_any_server()}</option>
          {servers.map(({ id: server, name }) => (
            <option key={server} value={server}>
              {name}
            </option>
          ))}
          {isKnown ? null : <option value={filter.server}>{filter.server}</option>}
        </select>
      </div>
    </div>
  );
}
