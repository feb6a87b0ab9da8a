import { screen } from '@raha/contract/screen-timings.ts';
import { api } from '../api/client.ts';
import { leaveAfter } from '../api/leave.ts';

/** Signs out: even if the server cannot be reached, this browser clears the session and goes to the landing page. */
export async function logOut(): Promise<void> {
  await leaveAfter(async () => void (await api.logout().catch(() => undefined)), screen.logoutRedirectMs);
}
