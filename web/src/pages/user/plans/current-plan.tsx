import type { Subscription } from '@raha/contract/public/subscriptions.ts';
import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { bytes, date, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';

interface CurrentPlanProps {
  subscription: Subscription;
  /** Bought already, to begin when this one ends. */
  next: Subscription | undefined;
  onRenew(): void;
  onCancel(): void;
}

/** What runs: how much of it is used, until when, and what can be done about it. */
export function CurrentPlan({ subscription, next, onRenew, onCancel }: CurrentPlanProps) {
  const { plan, status, traffic_used: used, daysRemaining, endDate, isExpiring } = subscription;
  const limit = plan.traffic_limit;
  return (
    <section aria-labelledby="current-plan" className="night rounded-xl relative isolate overflow-hidden p-5 sm:p-7">
      <div
        aria-hidden
        className="girih absolute inset-0 -z-10 opacity-60 invert dark:invert-0 [mask-image:linear-gradient(to_right,#000,transparent_55%)]"
      />
      <h2 id="current-plan" className="text-sm font-semibold text-on-night-2">
        {m.plan_current()}
      </h2>
      <p className="text-2xl font-black mt-1">
        <bdi>{plan.name}</bdi>
      </p>
      <dl className="grid sm:grid-cols-3 gap-x-10 gap-y-5 mt-5 text-sm text-on-night-2">
        <Detail label={m.plan_traffic()}>
          {limit === null
            ? m.plan_traffic_unlimited({ used: bytes(used) })
            : m.plan_traffic_of({ used: bytes(used), limit: bytes(limit) })}
          {limit !== null && <Bar share={Math.min(1, used / limit)} label={m.plan_traffic()} />}
        </Detail>
        <Detail label={m.plan_days_left({ days: number(daysRemaining) })}>
          {m.plan_until({ date: date(endDate) })}
          <Bar share={Math.min(1, 1 - daysRemaining / plan.duration)} label={m.plan_until({ date: date(endDate) })} />
        </Detail>
        <Detail label={m.plan_devices()}>
          {m.plan_devices_of({ count: number(plan.max_devices) })}
          {plan.max_mbit ? <span className="block">{m.plan_speed_up_to({ mbit: number(plan.max_mbit) })}</span> : null}
        </Detail>
      </dl>
      {(isExpiring || status === 'used_up') && !next && (
        <p role="status" className="flex items-start gap-2.5 mt-5 text-sm font-medium">
          <TriangleAlert className="size-5 shrink-0 mt-0.5" aria-hidden />
          {status === 'used_up' ? m.plan_used_up() : m.plan_expiring()}
        </p>
      )}
      <div className="flex flex-wrap gap-3 mt-5">
        {!next && (
          <Button className="btn btn-night" onClick={onRenew}>
            {m.plan_renew()}
          </Button>
        )}
        <Button className="btn btn-night-quiet" onClick={onCancel}>
          {m.plan_cancel()}
        </Button>
      </div>
    </section>
  );
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="font-bold text-on-night">{children}</dd>
    </div>
  );
}

function Bar({ share, label }: { share: number; label: string }) {
  return (
    <progress
      className="block w-full h-2 mt-2 rounded-full overflow-hidden appearance-none bg-[oklch(1_0_0/.16)] [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-signal [&::-moz-progress-bar]:bg-signal"
      value={share}
      max={1}
      aria-label={label}
    />
  );
}
