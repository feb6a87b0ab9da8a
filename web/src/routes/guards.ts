import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { meQuery } from '../api/me.ts';
import { queryClient } from '../api/query-client.ts';
import { isAdmin, isReseller } from '../api/roles.ts';
import { decidePassage, readToken, readUser } from '../api/session.ts';
import { readSearch } from './addresses.ts';
import { hrefTo } from './history-entry.ts';
import { checking, type Navigation, redirectTo } from './redirects.ts';

/** Admits active users with a complete profile (specification 1, section 4). */
export async function guardPanel(navigation: Navigation): Promise<void> {
  await checking(navigation);
  const passage = decidePassage(await knownUser());
  if (passage === 'open') return;
  rememberDestination(navigation.href);
  redirectTo(navigation, hrefTo(paths.signIn, passage === 'profile' ? { step: 'profile' } : {}));
}

/** Signing in and registering are for visitors: signed-in users go to the panel. */
export async function guardVisitor(navigation: Navigation): Promise<void> {
  await checking(navigation);
  // If `/auth/me` fails, the user counts as a visitor.
  if (decidePassage(await knownUser().catch(() => undefined)) === 'open') redirectTo(navigation, takeDestination());
}

/** The profile step of signing in needs a session. */
export async function guardSignIn(navigation: Navigation): Promise<void> {
  await guardVisitor(navigation);
  const { step } = readSearch(paths.signIn, navigation.query);
  if (step === 'profile' && !readToken()) redirectTo(navigation, paths.signIn);
}

/** Verifying an address needs its owner: a session, or the temporary token of a sign-in. */
export async function guardVerification(navigation: Navigation): Promise<void> {
  await checking(navigation);
  const user = await knownUser();
  if (!user) redirectTo(navigation, paths.signIn);
  if (user?.isEmailVerified && decidePassage(user) === 'open') redirectTo(navigation, paths.dashboard);
}

/** `/user` is the dashboard. */
export function guardHome(navigation: Navigation): void {
  redirectTo(navigation, paths.dashboard);
}

/**
 * Activation happens once: activated users go on to the panel, unless they bring another card. Redirects only on entering,
 * so that the page can remove the card from its own address.
 */
export function guardActivation(navigation: Navigation): void {
  const search = readSearch(paths.activation, navigation.query);
  const user = queryClient.getQueryData(meQuery.queryKey) ?? readUser();
  const isDone = user?.isActivated === true && !isAdmin(user) && !isReseller(user);
  if (navigation.cause === 'enter' && isDone && Object.keys(search).length === 0)
    redirectTo(navigation, paths.dashboard);
}

const DESTINATION = 'destination';

function rememberDestination(href: string): void {
  sessionStorage.setItem(DESTINATION, href);
}

/** The page that led to the sign-in; read once. Only pages of the panel count. */
export function takeDestination(): string {
  const href = sessionStorage.getItem(DESTINATION) ?? '';
  sessionStorage.removeItem(DESTINATION);
  return href.startsWith('/user/') ? href : paths.dashboard;
}

async function knownUser() {
  if (!readToken()) return undefined;
  const known = readUser();
  if (known) return known;
  try {
    return await queryClient.fetchQuery(meQuery);
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}
