import { screen } from '@raha/contract/screen-timings.ts';
import { api } from '../api/client.ts';
import { leaveAfter } from '../api/leave.ts';

/** The user wants out: whether the server hears of it or not, this browser forgets the session and goes home. */
export async function logOut(): Promise<void> {
  await leaveAfter(async () => void (await api.logout().catch(() => undefined)), screen.logoutRedirectMs);
}
