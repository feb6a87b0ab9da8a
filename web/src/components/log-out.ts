import { limits } from '@raha/contract/limits.ts';
import { api } from '../api/client.ts';
import { leaveAfter } from '../api/leave.ts';
import { clearSession } from '../api/session.ts';
import { paths } from '../paths.ts';

/** The person wants out: whether the server hears of it or not, this browser forgets the session and goes home. */
export async function logOut(): Promise<void> {
  const end = async () => {
    await api.logout().catch(() => undefined);
    clearSession();
  };
  await leaveAfter(end, paths.landing, limits.logoutRedirectMs);
}
