import { chance } from '../api/clock.ts';
import type { Path, SearchOf } from './addresses.ts';

/** What a way back to signing in says there: why the user is here again. */
export interface SignInReason {
  readonly kind: 'calm' | 'problem';
  readonly sentence: string;
}

/** Passed from one screen to the next outside the address bar. */
export interface CarriedState {
  readonly email?: string;
  readonly reason?: SignInReason;
}

/** An entry of the browser's history. */
export interface HistoryEntry {
  readonly pathname: string;
  /** As in the address: empty, or with its question mark. */
  readonly query: string;
  /** Without its `#`. */
  readonly hash: string;
  readonly state: CarriedState;
  /** Tells two visits of one address apart. */
  readonly key: string;
}

/** Where a link leads; without `to` it stays on the path. */
export interface Target<P extends Path = Path> {
  readonly to?: P | undefined;
  readonly search?: SearchOf<P> | undefined;
  readonly hash?: string | undefined;
  readonly state?: CarriedState | undefined;
}

/** In an entry's state, beside what is carried: its key, and how far it is scrolled, for a reload. */
interface EntryState extends CarriedState {
  readonly key?: string;
  readonly scrolled?: number;
}

export function hrefOf({ pathname, query, hash }: Pick<HistoryEntry, 'pathname' | 'query' | 'hash'>): string {
  return `${pathname}${query}${hash && `#${hash}`}`;
}

/** The address of a screen, as text. */
export function hrefTo<P extends Path>(to: P, search: SearchOf<P>): string {
  return `${to}${toQuery(search)}`;
}

/** The address of a target, seen from a path. */
export function addressOf(target: Target, pathname: string): Pick<HistoryEntry, 'pathname' | 'query' | 'hash'> {
  return { pathname: target.to ?? pathname, query: toQuery(target.search ?? {}), hash: target.hash ?? '' };
}

/** Parameters without a value are left out. */
export function toQuery(search: object): string {
  const set = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const query = new URLSearchParams(set.map(([name, value]) => [name, String(value)])).toString();
  return query && `?${query}`;
}

/** Not `randomUUID`: that one needs TLS. */
function newKey(): string {
  return chance().toString(36).slice(2);
}

/** A path without the slash at its end. */
function trimmed(pathname: string): string {
  return pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
}

/** Where the browser is. An entry that was made by a link to a part of the page has no key yet and gets one. */
export function readEntry(): HistoryEntry & { readonly isNew: boolean; readonly scrolled: number } {
  const { key, scrolled = 0, ...state } = (history.state ?? {}) as EntryState;
  const entry = {
    pathname: trimmed(location.pathname),
    query: location.search,
    hash: location.hash.slice(1),
    state,
    key: key ?? newKey(),
  };
  if (key === undefined) history.replaceState({ ...state, key: entry.key }, '');
  return { ...entry, isNew: key === undefined, scrolled };
}

/** Writes an entry into the browser's history. */
export function writeEntry(entry: Omit<HistoryEntry, 'key'>, replace: boolean): HistoryEntry {
  const key = newKey();
  const state: EntryState = { ...entry.state, key };
  if (replace) history.replaceState(state, '', hrefOf(entry));
  else history.pushState(state, '', hrefOf(entry));
  return { ...entry, key };
}

/** Writes into an entry how far it is scrolled, if the browser is still there. */
export function rememberScroll(key: string): void {
  if (history.state?.key === key) history.replaceState({ ...history.state, scrolled: scrollY }, '');
}
