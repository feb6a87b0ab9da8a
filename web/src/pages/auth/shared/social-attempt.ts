import { apiBase } from 'virtual:endpoints';
import { type SocialProvider, socialProviders } from '@raha/contract/public/social.ts';

/**
 * What this tab keeps of a sign-in that left for a provider: the random state that has to come back, and which provider
 * it was. Session storage, so that another tab's return proves nothing here.
 */
const STATE = 'oauth_state';
const PROVIDER = 'oauth_provider';

/** `instead`: the page that leads there is not come back to. */
export function startSocial(provider: SocialProvider, instead = false): void {
  const state = randomState();
  sessionStorage.setItem(STATE, state);
  sessionStorage.setItem(PROVIDER, provider);
  const address = `${apiBase}/auth/social/${provider}?state=${state}`;
  if (instead) location.replace(address);
  else location.assign(address);
}

/** The state, once: an answer cannot be played twice. */
export function takeState(): string | undefined {
  const state = sessionStorage.getItem(STATE) ?? undefined;
  sessionStorage.removeItem(STATE);
  return state;
}

export function lastProvider(): SocialProvider {
  const stored = sessionStorage.getItem(PROVIDER);
  return socialProviders.find((known) => known === stored) ?? 'google';
}

export const providerNames: Readonly<Record<SocialProvider, string>> = { google: 'Google', github: 'GitHub' };

function randomState(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24));
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_');
}
