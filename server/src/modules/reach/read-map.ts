import type { ReachSpan } from '@raha/contract/admin/reach.ts';
import { limits } from '@raha/contract/limits.ts';
import type { Transport } from '@raha/contract/protocols.ts';
import type { NetworkOperator } from '@raha/contract/public/reach.ts';
import { addDays } from '../../platform/clock.ts';
import type { Executor } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { getSetting } from '../../platform/settings.ts';
import { selectEntrySums } from './entry-tables.ts';
import { selectHours, selectLatestHours, selectSums } from './map-tables.ts';
import { decideFigures, type Figure } from './rules.ts';
import { reachNetworks } from './settings.ts';

const HOUR_MS = 3_600_000;

export interface ReachMap {
  readonly networks: readonly NetworkOperator[];
  readonly cells: readonly (Figure & { readonly network: number })[];
}

/** A figure for each network and transport of which enough is known; all others are left out. */
export async function readMap(db: Executor, span: ReachSpan, now: Date): Promise<ReachMap> {
  const networks = await getSetting(db, reachNetworks);
  const since = sinceOf(span, now);
  const rows = span === 'hour' ? await selectLatestHours(db, since) : await selectSums(db, since);
  const cells = networks.flatMap(({ id }) =>
    decideFigures(rows.filter(({ network }) => network === BigInt(id))).map((figure) => ({ ...figure, network: id })),
  );
  return { networks, cells };
}

export interface Way {
  readonly network: NetworkOperator;
  readonly transport: Transport;
  readonly from: Date;
  readonly figure: Figure | undefined;
  readonly ports: readonly Figure[];
  readonly hours: readonly (Figure & { readonly begins: Date })[];
  /** Of about the last hour, where enough came together at that entry; by a relay (`relayId`) over all networks. */
  readonly entries: readonly { readonly nodeId: string; readonly relayId: string | null; readonly figure: Figure }[];
}

/** One transport on one network. Refuses a network that is not counted. */
export async function readWay(
  db: Executor,
  {
    network: id,
    transport,
    span,
  }: { readonly network: number; readonly transport: Transport; readonly span: ReachSpan },
  now: Date,
): Promise<Way> {
  const network = (await getSetting(db, reachNetworks)).find((known) => known.id === id);
  if (!network) throw new Refusal('not_found');
  const from = sinceOf(span, now);
  const rows = await selectHours(db, { network: id, transport }, from);
  const latest = rows.at(-1)?.begins.getTime();
  const inSpan = span === 'hour' ? rows.filter(({ begins }) => begins.getTime() === latest) : rows;
  const byEntry = await selectEntrySums(db, { network: id, transport }, now);
  const none = { transport, port: 0, begins: new Date(now.getTime() - HOUR_MS), answers: 0n, connected: 0n };
  return {
    ...{ network, transport, from },
    figure: figureOf(inSpan.map((row) => ({ ...row, port: 0 }))),
    ports: decideFigures([...Map.groupBy(inSpan, ({ port }) => port).values()].flatMap((own) => sumOf(own) ?? [])),
    hours: [...Map.groupBy(rows, ({ begins }) => begins.getTime())].flatMap(([begins, own]) => {
      const figure = figureOf(own.map((row) => ({ ...row, port: 0 })));
      return figure ? [{ ...figure, begins: new Date(begins) }] : [];
    }),
    entries: byEntry.flatMap(({ node_id: nodeId, relay_id: relayId, ...counts }) => {
      const figure = figureOf([{ ...none, ...counts }]);
      return figure ? [{ nodeId, relayId, figure }] : [];
    }),
  };
}

type Row = Parameters<typeof decideFigures>[0][number];

function figureOf(rows: readonly Row[]): Figure | undefined {
  const sum = sumOf(rows);
  return sum && decideFigures([sum])[0];
}

function sumOf(rows: readonly Row[]): Row | undefined {
  const last = rows.at(-1);
  if (!last) return undefined;
  const add = (key: 'attempts' | 'through' | 'answers' | 'connected') => rows.reduce((sum, row) => sum + row[key], 0n);
  return {
    ...last,
    ...{ attempts: add('attempts'), through: add('through'), answers: add('answers'), connected: add('connected') },
  };
}

/** The latest hour may be as old as what users are shown. */
function sinceOf(span: ReachSpan, now: Date): Date {
  if (span === 'week') return addDays(now, -7);
  return new Date(now.getTime() - (limits.reach.shownHours + 1) * HOUR_MS);
}
