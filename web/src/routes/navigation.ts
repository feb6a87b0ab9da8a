import type { ComponentType, ReactNode } from 'react';
import { useMemo, useSyncExternalStore } from 'react';
import { type Path, readSearch, type SearchOf } from './addresses.ts';
import {
  addressOf,
  type HistoryEntry,
  hrefOf,
  readEntry,
  rememberScroll,
  type Target,
  writeEntry,
} from './history-entry.ts';
import { type Cause, type Navigation, Redirect, screenShown } from './redirects.ts';

export type Screen = ComponentType;
export type Layout = ComponentType<{ readonly children: ReactNode }>;

export interface Route {
  /** What has to be so before the screen is shown: returns, redirects (`redirectTo`), or fails. */
  readonly guard?: (navigation: Navigation) => Promise<void> | void;
  /** Its guard asks the server: «checking» is shown meanwhile, when somebody enters from elsewhere. */
  readonly isChecked?: boolean;
  /** The same for every route of a part of the panel; entering is coming from another part. */
  readonly part?: Part;
  readonly load: () => Promise<Screen>;
}

export interface Part {
  readonly guard: (navigation: Navigation) => Promise<void>;
  readonly load: () => Promise<Layout>;
}

/** What is on the screen. */
export interface Shown {
  readonly entry: HistoryEntry;
  readonly route: Route;
  readonly content: 'checking' | 'screen' | { readonly error: unknown };
  readonly Screen?: Screen | undefined;
  readonly Layout?: Layout | undefined;
  /** Where to scroll to once it is rendered; absent: not at all. */
  readonly scrollTo?: { readonly top: number } | { readonly hash: string } | undefined;
}

export interface RouterState {
  readonly shown: Shown | undefined;
  /** Where somebody wants to go: at once, also while the screen there is still loading. */
  readonly wanted: HistoryEntry;
  readonly isLoading: boolean;
}

let state: RouterState = { shown: undefined, wanted: readEntry(), isLoading: false };
const listeners = new Set<() => void>();
/** How far each entry of this document's history was scrolled. */
const scrolledBy = new Map<string, number>();
/** For a reload it is written into the entry, but not at every frame: browsers limit that. */
const SCROLL_REST_MS = 200;

function set(change: Partial<RouterState>): void {
  state = { ...state, ...change };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A part of the router's state; `select` has to give the same value for the same state. */
export function useRouter<Value>(select: (state: RouterState) => Value): Value {
  return useSyncExternalStore(subscribe, () => select(state));
}

/** The entry of the screen that is shown. */
export function useHistoryEntry(): HistoryEntry {
  return useRouter(({ shown, wanted }) => shown?.entry ?? wanted);
}

/** What the address of a screen says after its question mark, checked. */
export function useSearch<P extends Path>(path: P): SearchOf<P> {
  const { query } = useHistoryEntry();
  return useMemo(() => readSearch(path, query), [path, query]);
}

/** By their path; `*` stands for all others. */
export type Routes = ReadonlyMap<string, Route>;
let routes: Routes = new Map();

/** Starts with the address of the document. */
export function startRouter(all: Routes): void {
  routes = all;
  history.scrollRestoration = 'manual';
  let rest: ReturnType<typeof setTimeout> | undefined;
  addEventListener('scroll', () => {
    scrolledBy.set(state.wanted.key, scrollY);
    clearTimeout(rest);
    rest = setTimeout(rememberScroll, SCROLL_REST_MS, state.wanted.key);
  });
  addEventListener('popstate', () => {
    const { isNew, ...entry } = readEntry();
    const { shown } = state;
    // A link to a part of the page: the browser has scrolled there.
    if (isNew && shown && hrefOf({ ...shown.entry, hash: '' }) === hrefOf({ ...entry, hash: '' }))
      return set({ wanted: entry, shown: { ...shown, entry, scrollTo: undefined } });
    void open(entry, { top: scrolledBy.get(entry.key) ?? entry.scrolled });
  });
  const { scrolled, ...entry } = readEntry();
  void open(entry, entry.hash ? { hash: entry.hash } : { top: scrolled });
}

export interface NavigateOptions {
  /** Takes the entry of the present entry in the history. */
  readonly replace?: boolean | undefined;
  /** Absent: true. */
  readonly resetScroll?: boolean | undefined;
}

/** Goes to a screen: writes the history and opens it. */
export function navigate<P extends Path>(target: Target<P> & NavigateOptions): Promise<void> {
  const { replace = false, resetScroll } = target;
  return go({ ...addressOf(target, state.wanted.pathname), state: target.state ?? {} }, { replace, resetScroll });
}

/** The same for an address of the panel as text. */
export function navigateTo(href: string, options: NavigateOptions = {}): Promise<void> {
  const { pathname, search, hash } = new URL(href, location.origin);
  return go({ pathname, query: search, hash: hash.slice(1), state: {} }, options);
}

async function go(
  entry: Omit<HistoryEntry, 'key'>,
  { replace = false, resetScroll = true }: NavigateOptions,
): Promise<void> {
  // The same address again is no step to go back.
  const written = writeEntry(entry, replace || hrefOf(entry) === hrefOf(state.wanted));
  const top = resetScroll ? { top: 0 } : undefined;
  await open(written, entry.hash ? { hash: entry.hash } : top);
}

/** Loads what a link leads to before it is pressed. */
export function preload(path: string): void {
  const route = routes.get(path);
  void Promise.all([route?.load(), route?.part?.load()]).catch(() => undefined);
}

let turn = 0;

async function open(entry: HistoryEntry, scrollTo: Shown['scrollTo']): Promise<void> {
  turn += 1;
  const mine = turn;
  const isOver = () => mine !== turn;
  const before = state.shown;
  const route = routes.get(entry.pathname) ?? (routes.get('*') as Route);
  const enters = (isSame: boolean): Cause => (isSame ? 'stay' : 'enter');
  const cause = enters(before?.route === route);
  const causeOfPart = enters(before?.route.part === route.part && before?.Layout !== undefined);
  const isChecked = (route.part && causeOfPart === 'enter') || (route.isChecked && cause === 'enter');
  set({ wanted: entry, isLoading: true, ...(isChecked ? { shown: { entry, route, content: 'checking' } } : {}) });
  let Layout = causeOfPart === 'stay' ? before?.Layout : undefined;
  try {
    const href = hrefOf(entry);
    // While a guard decides, the files come and are evaluated.
    preload(entry.pathname);
    await route.part?.guard({ href, query: entry.query, cause: causeOfPart });
    await route.guard?.({ href, query: entry.query, cause });
    if (isOver()) return;
    // On the same screen nothing is loaded, so that it follows its address at once.
    let Screen = cause === 'stay' ? before?.Screen : undefined;
    if (!Screen) [Layout, Screen] = await Promise.all([route.part?.load(), route.load()]);
    if (isOver()) return;
    set({ shown: { entry, route, content: 'screen', Screen, Layout, scrollTo }, isLoading: false });
    screenShown();
  } catch (error) {
    if (isOver()) return;
    if (error instanceof Redirect) return await navigateTo(error.href, { replace: true });
    set({ shown: { entry, route, content: { error }, Layout, scrollTo: { top: 0 } }, isLoading: false });
  }
}
