import type { Actor } from '../../platform/audit.ts';
import type { Tx } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';

/** What an operator orders about cards, at the command line or in the console. */
export interface CardOrder {
  readonly actor: Actor;
  readonly reason?: string | undefined;
  /** Asked in the transaction of the effect, of a member: whether they still may. */
  readonly stillMay?: ((tx: Tx) => Promise<void>) | undefined;
  /** In the console: what changes no card is refused, so that an act that is sent again leaves no second entry in the audit. */
  readonly mustChange?: boolean | undefined;
}

/** The last thing before an act is recorded. */
export function refuseUnchanged({ mustChange }: CardOrder, cards: number): void {
  if (mustChange && cards === 0) throw new OperatorMistake('conflict', 'No card is left that could change.');
}
