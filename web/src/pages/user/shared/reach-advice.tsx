import type { Transport } from '@raha/contract/protocols.ts';
import type { Server } from '@raha/contract/public/configs.ts';
import type { ReachFigure } from '@raha/contract/public/reach.ts';
import { useQuery } from '@tanstack/react-query';
import { RadioTower } from 'lucide-react';
import { useId } from 'react';
import { now } from '../../../api/clock.ts';
import { reachQuery } from '../../../api/queries.ts';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { currentLocale } from '../../../text/locale.ts';
import { relativeTime } from '../../../text/relative-time.ts';

interface ReachAdviceProps {
  /** The chosen server, or all that can be chosen: what none of them offers is left out. */
  readonly servers: readonly Pick<Server, 'protocols' | 'otherPorts' | 'openconnect' | 'proxy'>[];
}

const SHOWN = 3;

/** Which files connect on the user's network, by figures of the last day. Without figures there is nothing to say. */
export function ReachAdvice({ servers }: ReachAdviceProps) {
  const { data } = useQuery(reachQuery);
  const heading = useId();
  const figures = (data?.figures ?? [])
    .filter((figure) => servers.some((server) => isOffered(figure, server)))
    .slice(0, SHOWN);
  if (!data?.network || figures.length === 0) return null;
  return (
    <section aria-labelledby={heading} className="rounded-md bg-surface-2 px-4 py-3">
      <p id={heading} className="flex items-center gap-2.5 text-sm font-semibold text-text-2">
        <RadioTower className="size-5 shrink-0" aria-hidden />
        {m.reach_title({ operator: data.network[currentLocale()] })}
      </p>
      <ol className="grid gap-2 mt-2">
        {figures.map((figure) => (
          <li key={`${figure.transport} ${figure.port}`} className="grid">
            <WayName figure={figure} />
            <span className="text-sm text-text-2">{figureSentence(figure)}</span>
          </li>
        ))}
      </ol>
      <p className="text-xs text-text-3 mt-2">{m.reach_about()}</p>
    </section>
  );
}

function WayName({ figure: { transport, port } }: { figure: ReachFigure }) {
  return (
    <b>
      <bdi dir="ltr">{names[transport]}</bdi>
      {transport === 'wireguard' && (
        <span className="font-medium">
          {' '}
          {port === null ? m.reach_usual_port() : m.reach_port({ port: String(port) })}
        </span>
      )}
    </b>
  );
}

const names: Readonly<Record<Transport, string>> = {
  wireguard: 'WireGuard',
  openvpn: 'OpenVPN',
  openvpn_tcp: 'OpenVPN TCP',
  ikev2: 'IKEv2',
  openconnect: 'OpenConnect',
  proxy: 'VLESS',
};

function isOffered({ transport, port }: ReachFigure, offered: ReachAdviceProps['servers'][number]): boolean {
  if (transport === 'openconnect' || transport === 'proxy') return offered[transport] ?? false;
  const protocol = transport === 'openvpn_tcp' ? 'openvpn' : transport;
  return offered.protocols.includes(protocol) && (port === null || (offered.otherPorts ?? []).includes(port));
}

function figureSentence({ percent, of, source, measuredAt }: ReachFigure): string {
  const values = { percent: number(percent), count: number(of), ago: relativeTime(measuredAt, now()) };
  return source === 'servers' ? m.reach_servers(values) : m.reach_answers(values);
}
