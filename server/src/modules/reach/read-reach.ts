import type { reachCalls } from '@raha/contract/public/reach.ts';
import type * as z from 'zod/mini';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import { getSetting } from '../../platform/settings.ts';
import { findOperator, type NetworkDirectory } from './networks.ts';
import { decideFigures } from './rules.ts';
import { reachNetworks } from './settings.ts';
import { selectLatest } from './tables.ts';

export interface ReachDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly networks: NetworkDirectory;
}

type Reach = z.input<typeof reachCalls.getReach.response>['data'];

/** How each way did lately on the network of a request. The address is used for this answer only. */
export async function readReach({ db, clock, networks }: ReachDeps, requestAddress: string): Promise<Reach> {
  const operators = await getSetting(db, reachNetworks);
  const network = (await findOperator(networks, operators, requestAddress)) ?? null;
  const cells = network ? await selectLatest(db, network.id, clock.now()) : [];
  const figures = decideFigures(cells).map((figure) => ({ ...figure, measuredAt: figure.measuredAt.toISOString() }));
  return { network, networks: operators, figures };
}
