import { cleanEmail } from '@raha/contract/persian.ts';
import { useLocation } from '@tanstack/react-router';

/** The address that the screen before handed over, so that nobody types it twice. */
export function useCarriedEmail(): string {
  const carried = useLocation({ select: ({ state }) => state.email });
  return carried === undefined ? '' : cleanEmail(carried);
}
