import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { redirect } from '@tanstack/react-router';
import { meQuery } from '../api/me.ts';
import { queryClient } from '../api/query-client.ts';
import { isAdmin, isReseller } from '../api/roles.ts';
import { decidePassage, readToken, readUser } from '../api/session.ts';
import { checking, type Navigation, redirectTo } from './redirects.ts';
import type { ActivationSearch, SignInStep } from './search.ts';

/** Admits active users with a complete profile (specification 1, section 4). */
export async function guardPanel(navigation: Navigation): Promise<void> {
  await checking(navigation);
  const passage = decidePassage(await knownUser());
  if (passage === 'open') return;
  if (!navigation.preload) rememberDestination(navigation.location.href);
  redirectTo(navigation, redirect({ to: paths.signIn, search: passage === 'profile' ? { step: 'profile' } : {} }));
}

/** Sign-in is for visitors: signed-in users go to the panel, and the profile step needs a session. */
export async function guardVisitor(navigation: Navigation, step?: SignInStep): Promise<void> {
  await checking(navigation);
  // If `/auth/me` fails, the user counts as a visitor.
  if (decidePassage(await knownUser().catch(() => undefined)) === 'open')
    redirectTo(navigation, redirect({ to: navigation.preload ? paths.dashboard : takeDestination() }));
  if (step === 'profile' && !readToken())
    redirectTo(navigation, redirect({ to: paths.signIn, search: {}, replace: true }));
}

/** Verifying an address needs its owner: a session, or the temporary token of a sign-in. */
export async function guardVerification(navigation: Navigation): Promise<void> {
  await checking(navigation);
  const user = await knownUser();
  if (!user) redirectTo(navigation, redirect({ to: paths.signIn, search: {} }));
  if (user?.isEmailVerified && decidePassage(user) === 'open')
    redirectTo(navigation, redirect({ to: paths.dashboard, replace: true }));
}

/** `/user` is the dashboard. */
export function guardHome(navigation: Navigation): void {
  redirectTo(navigation, redirect({ to: paths.dashboard, replace: true }));
}

/**
 * Activation happens once: activated users go on to the panel, unless they bring another card. Redirects only on entering,
 * so that the page can remove the card from its own address.
 */
export function guardActivation(navigation: Navigation, search: ActivationSearch): void {
  const user = queryClient.getQueryData(meQuery.queryKey) ?? readUser();
  const isDone = user?.isActivated === true && !isAdmin(user) && !isReseller(user);
  if (navigation.cause !== 'stay' && isDone && Object.keys(search).length === 0) {
    redirectTo(navigation, redirect({ to: paths.dashboard, replace: true }));
  }
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
