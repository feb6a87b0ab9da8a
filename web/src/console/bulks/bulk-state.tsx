import type { BulkLine } from '@raha/contract/admin/bulk.ts';
import { StateMark } from '../mark.tsx';
import { stateNames } from './words.ts';

/** What is over has no mark, unless somebody was left out. */
export function BulkState({ bulk: { state, failed } }: { bulk: BulkLine }) {
  const isPlanned = state === 'planned' || state === 'running';
  const isLooked = state === 'proposed' || state === 'paused' || state === 'stopped' || failed > 0;
  return (
    <span className="c-state">
      {isPlanned || isLooked ? <StateMark tone={isLooked ? 'look' : 'planned'} /> : null}
      {stateNames[state]()}
    </span>
  );
}
