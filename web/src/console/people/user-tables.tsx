import type { UserConfig, UserFacts } from '@raha/contract/admin/people.ts';
import { bytes, date, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { StateMark } from '../mark.tsx';
import { cutSentences } from './words.ts';

const protocolNames: Readonly<Record<UserConfig['protocol'], string>> = {
  wireguard: 'WireGuard',
  openvpn: 'OpenVPN',
  ikev2: 'IKEv2',
};

/** What is as it should be is silent. */
export function ConfigTable({ configs }: { configs: readonly UserConfig[] }) {
  return (
    <section aria-labelledby="user-configs">
      <h2 id="user-configs" className="c-head">
        {m.console_user_configs()}
      </h2>
      <table className="c-table c-configs">
        <thead>
          <tr>
            <th scope="col">{m.console_user_config()}</th>
            <th scope="col">{m.console_user_protocol()}</th>
            <th scope="col">{m.console_user_server()}</th>
            <th scope="col">{m.console_user_why()}</th>
            <th scope="col" className="c-number">
              {m.console_user_used()}
            </th>
            <th scope="col">{m.console_user_last_used()}</th>
          </tr>
        </thead>
        <tbody>
          {configs.map((config) => (
            <tr key={config.id}>
              <td>
                <bdi>{config.name}</bdi>
              </td>
              <td>
                <bdi dir="ltr">{protocolNames[config.protocol]}</bdi>
              </td>
              <td>
                <bdi dir="ltr">{config.server}</bdi>
              </td>
              <td>
                <Why config={config} />
              </td>
              <td className="c-number" data-label={m.console_user_used()}>
                {bytes(config.used)}
              </td>
              <td data-label={m.console_user_last_used()}>
                {config.last_used_at === null ? '–' : date(config.last_used_at)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Why({ config: { cut, connected, applied } }: { config: UserConfig }) {
  if (cut !== null)
    return (
      <span className="c-state">
        <StateMark tone={cut === 'switched_off' ? 'planned' : 'look'} />
        {cutSentences[cut]()}
      </span>
    );
  if (!applied) return <span className="c-quiet">{m.console_user_waiting()}</span>;
  if (connected) return <span className="c-quiet">{m.console_user_connected()}</span>;
  return <span className="c-quiet c-dash">–</span>;
}

export function ConnectionTable({ connections }: { connections: NonNullable<UserFacts['connections']> }) {
  return (
    <section aria-labelledby="user-connections">
      <h2 id="user-connections" className="c-head">
        {m.console_user_connections()}
      </h2>
      {connections.length === 0 ? <p className="c-note">{m.console_user_no_connections()}</p> : null}
      <ul className="c-days">
        {connections.map(({ day, server, times, bytes: passed, is_open }) => (
          <li key={`${day} ${server}`}>
            <span>{date(`${day}T08:30:00Z`)}</span>
            <bdi dir="ltr">{server}</bdi>
            <span>{m.console_user_times({ count: number(times) })}</span>
            <span>{bytes(passed)}</span>
            {is_open ? <span>{m.console_user_connected()}</span> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
