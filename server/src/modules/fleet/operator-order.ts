import type { Actor } from '../../platform/audit.ts';
import type { Tx } from '../../platform/database.ts';

/** What an operator orders about a node. */
export interface NodeOrder {
  readonly actor: Actor;
  readonly nodeId: string;
  readonly reason?: string | undefined;
  /** Asked in the transaction of the effect, of a member: whether they still may. Staff stand above the fleet, so it is handed in. */
  readonly stillMay?: ((tx: Tx) => Promise<void>) | undefined;
}
