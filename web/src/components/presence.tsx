import { useSyncExternalStore } from 'react';
import { m } from '../text/generated/messages.js';

/** Whether the panel gets updates now: by a live stream, by polling, or not at all without a network. */
export function Presence({ live }: { live: boolean }) {
  const online = useSyncExternalStore(watch, () => navigator.onLine);
  const state = !online ? 'offline' : live ? 'online' : 'reconnecting';
  const { label, colour } = states[state];
  return (
    <span data-testid="presence" className="inline-flex items-center gap-1.5 shrink-0 text-xs text-text-3">
      <span aria-hidden className={`size-2 rounded-full ${colour}`} />
      {label()}
    </span>
  );
}

const states = {
  online: { label: m.presence_online, colour: 'bg-success' },
  reconnecting: { label: m.presence_reconnecting, colour: 'bg-spark' },
  offline: { label: m.presence_offline, colour: 'bg-danger' },
} as const;

function watch(onChange: () => void): () => void {
  addEventListener('online', onChange);
  addEventListener('offline', onChange);
  return () => {
    removeEventListener('online', onChange);
    removeEventListener('offline', onChange);
  };
}
