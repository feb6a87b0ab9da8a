import { cleanEmail } from '@raha/contract/persian.ts';
import { useHistoryEntry } from '../../../routes/navigation.ts';

/** The address that the screen before handed over, so that nobody types it twice. */
export function useCarriedEmail(): string {
  const carried = useHistoryEntry().state.email;
  return carried === undefined ? '' : cleanEmail(carried);
}
