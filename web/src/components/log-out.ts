import { limits } from '@raha/contract/limits.ts';
import { api } from '../api/client.ts';
import { leaveFor } from '../api/leave.ts';
import { clearSession } from '../api/session.ts';
import { paths } from '../paths.ts';

let leaving = false;

/** The person wants out: whether the server hears of it or not, this browser forgets the session and goes home. */
export async function logOut(): Promise<void> {
  if (leaving) return;
  leaving = true;
  await api.logout().catch(() => undefined);
  clearSession();
  setTimeout(() => leaveFor(paths.landing), limits.logoutRedirectMs);
}
