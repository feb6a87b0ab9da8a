import type { Transport } from '@raha/contract/protocols.ts';
import { sql } from 'kysely';
import type { Executor } from '../../platform/database.ts';
import type { ReachCell } from './tables.ts';

type Counted = Omit<ReachCell, 'grain'>;

const sums = sql`sum(attempts)::bigint AS attempts, sum(through)::bigint AS through, sum(answers)::bigint AS answers,
  sum(connected)::bigint AS connected`;

/** Of each network and transport, over all ports, the latest hour that was kept since then. */
export async function selectLatestHours(db: Executor, since: Date): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    SELECT DISTINCT ON (network, transport) network, transport, 0 AS port, begins, ${sums}
    FROM reach_cell WHERE grain = 'hour' AND begins > ${since}
    GROUP BY network, transport, begins ORDER BY network, transport, begins DESC
  `.execute(db);
  return rows;
}

/** Of each network and transport, over all ports, the sum since then, and when its last hour began. */
export async function selectSums(db: Executor, since: Date): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    SELECT network, transport, 0 AS port, max(begins) AS begins, ${sums}
    FROM reach_cell WHERE grain = 'hour' AND begins > ${since} GROUP BY network, transport ORDER BY network, transport
  `.execute(db);
  return rows;
}

interface Way {
  readonly network: number;
  readonly transport: Transport;
}

/** Every hour of a way that was kept since then, oldest first, with its ports. */
export async function selectHours(db: Executor, { network, transport }: Way, since: Date): Promise<Counted[]> {
  const { rows } = await sql<Counted>`
    SELECT network, transport, port, begins, attempts, through, answers, connected FROM reach_cell
    WHERE network = ${network} AND grain = 'hour' AND begins > ${since} AND transport = ${transport} ORDER BY begins, port
  `.execute(db);
  return rows;
}
