import type { Service } from '@raha/contract/public/service.ts';
import { m } from '../text/generated/messages.js';
import { useOnline } from './use-online.ts';

/** Whether the service is there for the user, as the server says; and first, whether the panel hears anything at all. */
export function Presence({ live, service }: { live: boolean; service: Service | undefined }) {
  const online = useOnline();
  const state = !online ? 'offline' : live && service ? service.state : 'reconnecting';
  const { label, colour, text } = states[state];
  return (
    <span data-testid="presence" className={`inline-flex items-center gap-1.5 shrink-0 text-xs ${text}`}>
      <span aria-hidden className={`size-2 rounded-full ${colour}`} />
      {label()}
    </span>
  );
}

const quiet = 'text-text-3';
const states = {
  on: { label: m.presence_online, colour: 'bg-success', text: quiet },
  cut: { label: m.presence_cut, colour: 'bg-danger', text: 'font-bold text-danger' },
  empty: { label: m.presence_empty, colour: 'bg-danger', text: 'font-bold text-danger' },
  not_activated: { label: m.presence_not_activated, colour: 'bg-line-control', text: quiet },
  reconnecting: { label: m.presence_reconnecting, colour: 'bg-spark', text: quiet },
  offline: { label: m.presence_offline, colour: 'bg-danger', text: quiet },
} as const;
