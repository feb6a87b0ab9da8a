import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { Config } from '@raha/contract/public/configs.ts';
import { CircleCheck, CircleHelp, CirclePause, Clock, Gauge, PlugZap, ServerOff, WalletMinimal } from 'lucide-react';
import { Link } from '../../../routes/link.tsx';
import { m } from '../../../text/generated/messages.js';

const looks = {
  active: { label: m.status_active, icon: CircleCheck, className: 'badge-quiet' },
  inactive: { label: m.status_inactive, icon: CirclePause, className: 'bg-surface-2 text-text-2' },
  expired: { label: m.status_expired, icon: Clock, className: 'bg-danger-soft text-danger' },
} as const;
const cut = { label: m.status_cut, icon: WalletMinimal, className: 'bg-danger-soft text-danger' };
const unknown = { label: m.status_unknown, icon: CircleHelp, className: 'bg-surface-2 text-text-2' };

/** One state per config: what is connected is active, too, and says only the first. Colour is for what is not usual. */
export function ConfigBadge({ config }: { config: Config }) {
  if (config.connected && config.service !== 'no_balance' && config.service !== 'cap_reached') {
    return (
      <span className="badge bg-accent-soft text-accent shrink-0">
        <span className="size-2 rounded-full bg-accent-fill" aria-hidden />
        {m.connected()}
      </span>
    );
  }
  const isCut = config.service === 'no_balance' && config.status === 'inactive';
  const look = isCut ? cut : (looks[config.status] ?? unknown);
  return (
    <span className={`badge shrink-0 ${look.className}`}>
      <look.icon className="size-3.5" aria-hidden />
      {look.label()}
    </span>
  );
}

/** Why a config passes no traffic, or that its latest change is still on the way to its server. */
export function ServiceNote({ config }: { config: Config }) {
  if (config.service === 'no_balance') {
    return (
      <p className="flex flex-wrap items-center gap-x-2 rounded-md bg-danger-soft ps-3 pe-1 text-sm">
        <WalletMinimal className="size-4 shrink-0 text-danger" aria-hidden />
        <span className="py-2 font-semibold text-danger">{m.service_no_balance()}</span>
        <Link
          to={paths.charge}
          className="inline-flex items-center min-h-11 ms-auto px-2 font-bold text-accent underline underline-offset-4"
        >
          {m.charge_wallet()}
        </Link>
      </p>
    );
  }
  if (config.service === 'cap_reached') {
    return (
      <p className="flex items-start gap-2 rounded-md bg-spark-soft text-spark-text px-3 py-2 text-sm font-medium">
        <Gauge className="size-4 shrink-0 mt-1" aria-hidden />
        {m.service_cap_reached()}
      </p>
    );
  }
  if (config.service === 'server_offline') {
    return (
      <p className="flex items-start gap-2 rounded-md bg-spark-soft text-spark-text px-3 py-2 text-sm font-medium">
        <ServerOff className="size-4 shrink-0 mt-1" aria-hidden />
        {m.service_server_offline()}
      </p>
    );
  }
  if (!config.applied) {
    return (
      <p className="flex items-center gap-2.5 rounded-md bg-accent-soft px-3 py-2 text-sm font-medium" role="status">
        <span className="size-2 rounded-full bg-chart [animation:breathe_1.2s_ease-in-out_infinite]" aria-hidden />
        {m.applying()}
      </p>
    );
  }
  if (config.service === 'disconnected') {
    return (
      <p className="flex items-start gap-2 rounded-md bg-surface-2 text-text-2 px-3 py-2 text-sm">
        <PlugZap className="size-4 shrink-0 mt-1" aria-hidden />
        {m.service_disconnected()}
      </p>
    );
  }
  return null;
}
