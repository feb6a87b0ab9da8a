import type { LiveNode, NodeFigures, NodeMargins } from '@raha/contract/admin/fleet.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { LiveMark } from '../live-mark.tsx';
import { useAddress } from '../path.ts';
import { Problem } from '../problem.tsx';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useLive } from '../use-live.ts';
import { useWork } from '../use-work.ts';
import { FleetTable } from './fleet-table.tsx';
import { NodeScreen } from './node-screen.tsx';
import { sorted, stateOf } from './words.ts';

/** How often the list and the figures are read, in seconds. */
const LIVE_SECONDS = 5;
const FIGURE_SECONDS = 60;

/** The servers, and one of them at an address of its own. */
export function FleetScreen(props: ScreenProps) {
  const id = useAddress().path.split('/')[3];
  return id === undefined ? <Fleet {...props} /> : <NodeScreen key={id} id={id} {...props} />;
}

type Filter = 'all' | 'trouble';

function Fleet({ self }: ScreenProps) {
  const live = useLive('nodes', LIVE_SECONDS, async (options) => (await api.listLiveNodes({}, options)).data.nodes);
  const counted = useLive(
    'figures',
    FIGURE_SECONDS,
    async (options) => (await api.listNodeFigures({}, options)).data.nodes,
  );
  const [margins, setMargins] = useState<readonly NodeMargins[]>();
  const [filter, setFilter] = useState<Filter>('all');
  const counting = useWork();
  const figures = new Map((counted.data ?? []).map((node) => [node.id, node]));
  const nodes = sorted(live.data ?? [], figures);
  const troubled = nodes.filter((node) => isTroubled(node, figures.get(node.id)));
  const readMargins = async () => setMargins((await api.listNodeMargins()).data.nodes);
  return (
    <>
      <Lead title={live.data ? leadOf(nodes, troubled.length) : m.console_fleet()} {...emptyText(live.data)}>
        <LiveMark at={live.at} every={LIVE_SECONDS} />
      </Lead>
      <Reading of={live} />
      {nodes.length > 0 ? (
        <>
          <div className="c-fleet-bar">
            <div className="c-tabs">
              {(['all', 'trouble'] as const).map((name) => (
                <button key={name} type="button" aria-pressed={filter === name} onClick={() => setFilter(name)}>
                  {name === 'all' ? m.console_timeline_all() : m.console_fleet_troubled()}
                  <span>{number(name === 'all' ? nodes.length : troubled.length)}</span>
                </button>
              ))}
            </div>
            {isPermitted(self.role, 'fleet.margins') && !margins ? (
              <button type="button" className="c-link" onClick={() => void counting.run(readMargins)}>
                {m.console_fleet_margins()}
              </button>
            ) : null}
          </div>
          <Problem sentence={counting.sentence} />
          <FleetTable nodes={filter === 'all' ? nodes : troubled} figures={figures} margins={margins} />
          <p className="c-note">{m.console_fleet_note()}</p>
        </>
      ) : null}
    </>
  );
}

function emptyText(nodes: readonly LiveNode[] | undefined) {
  return nodes?.length === 0 ? { text: m.console_fleet_empty() } : {};
}

function isTroubled(node: LiveNode, figures: NodeFigures | undefined): boolean {
  const { tone } = stateOf(node, figures);
  return tone === 'act' || tone === 'look';
}

function leadOf(nodes: readonly LiveNode[], troubled: number): string {
  const online = number(nodes.filter((node) => node.online).length);
  if (nodes.length === 0) return m.console_fleet_none();
  return troubled === 0
    ? m.console_fleet_lead({ online })
    : m.console_fleet_lead_troubled({ online, troubled: number(troubled) });
}
