import { ApiError } from '@raha/contract/client.ts';
import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import { redirect } from '@tanstack/react-router';
import { meQuery } from '../api/me.ts';
import { queryClient } from '../api/query-client.ts';
import { isAdmin, isAgent } from '../api/roles.ts';
import { decidePassage, readToken, readUser } from '../api/session.ts';
import { checking, type Passing, sendOn } from './redirects.ts';
import type { ActivationSearch, SignInStep } from './search.ts';

/** Only active people with a complete profile pass (specification 1, section 4). */
export async function guardPanel(passing: Passing): Promise<void> {
  await checking(passing);
  const passage = decidePassage(await knownUser());
  if (passage === 'open') return;
  if (!passing.preload) rememberDestination(passing.location.href);
  sendOn(passing, redirect({ to: paths.signIn, search: passage === 'profile' ? { step: 'profile' } : {} }));
}

/** Sign-in is for visitors: whoever is in goes to the panel, and the profile step needs a session. */
export async function guardVisitor(passing: Passing, step?: SignInStep): Promise<void> {
  await checking(passing);
  // Whoever cannot be asked about is a visitor.
  if (decidePassage(await knownUser().catch(() => undefined)) === 'open')
    sendOn(passing, redirect({ to: passing.preload ? paths.dashboard : takeDestination() }));
  if (step === 'profile' && !readToken()) sendOn(passing, redirect({ to: paths.signIn, search: {}, replace: true }));
}

/** Proving an address needs whose address it is: a session, or the temporary token of a log-in. */
export async function guardVerification(passing: Passing): Promise<void> {
  await checking(passing);
  const user = await knownUser();
  if (!user) sendOn(passing, redirect({ to: paths.signIn, search: {} }));
  if (user?.isEmailVerified && decidePassage(user) === 'open')
    sendOn(passing, redirect({ to: paths.dashboard, replace: true }));
}

/** `/user` is the dashboard. */
export function guardHome(passing: Passing): void {
  sendOn(passing, redirect({ to: paths.dashboard, replace: true }));
}

/**
 * Activation happens once: whoever has it goes on to the panel, unless they come with another card. Only on entering,
 * so that the page can clean its own address.
 */
export function guardActivation(passing: Passing, search: ActivationSearch): void {
  const user = queryClient.getQueryData(meQuery.queryKey) ?? readUser();
  const isDone = user?.isActivated === true && !isAdmin(user) && !isAgent(user);
  if (passing.cause !== 'stay' && isDone && Object.keys(search).length === 0) {
    sendOn(passing, redirect({ to: paths.dashboard, replace: true }));
  }
}

const DESTINATION = 'destination';

function rememberDestination(href: string): void {
  sessionStorage.setItem(DESTINATION, href);
}

/** The page that asked for the sign-in, once; only pages of the panel count. */
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
