export interface Toast {
  readonly id: number;
  readonly kind: 'done' | 'problem';
  readonly text: string;
}

const SHOWN_MS = 4_000;
let toasts: readonly Toast[] = [];
let nextId = 1;
const watchers = new Set<() => void>();

/** Shows a message for four seconds without taking the focus. The region that renders it is loaded later. */
export function toast(text: string, kind: Toast['kind'] = 'done'): void {
  if (text === '') return;
  const id = nextId++;
  change([...toasts.filter((shown) => shown.text !== text).slice(-2), { id, kind, text }]);
  setTimeout(() => change(toasts.filter((shown) => shown.id !== id)), SHOWN_MS);
}

export function shownToasts(): readonly Toast[] {
  return toasts;
}

export function watchToasts(onChange: () => void): () => void {
  watchers.add(onChange);
  return () => watchers.delete(onChange);
}

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const watcher of watchers) watcher();
}
