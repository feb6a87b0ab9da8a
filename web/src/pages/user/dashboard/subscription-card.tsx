import { panelPaths as paths } from '@raha/contract/panel-paths.ts';
import type { SubscriptionOverview } from '@raha/contract/public/dashboard.ts';
import { trialSentence } from '../../../components/trial-note.tsx';
import { Link } from '../../../routes/link.tsx';
import { bytes, date, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';

const badges = {
  active: { label: m.subscription_active, className: 'bg-success-soft text-success' },
  trial: { label: m.subscription_trial, className: 'bg-spark-soft text-spark-text' },
  expired: { label: m.subscription_expired, className: 'bg-danger-soft text-danger' },
  inactive: { label: m.subscription_inactive, className: 'bg-surface-2 text-text-2' },
} as const;

const waiting = { label: m.subscription_trial_waits, className: 'bg-surface-2 text-text-2' };

interface SubscriptionCardProps {
  subscription: SubscriptionOverview;
  /** False where something beside it leads on. */
  hasButton?: boolean;
}

/** What the user has: a plan with its time and traffic, an activated account, a trial, or nothing yet. */
export function SubscriptionCard({ subscription, hasButton = true }: SubscriptionCardProps) {
  const { plan, trial, status, daysRemaining, days, endDate } = subscription;
  // Nothing of a trial can be used before activation, where the operator asks for it.
  const isWaiting = status === 'trial' && (trial?.needsActivation ?? false);
  const badge = isWaiting ? waiting : badges[status];
  return (
    <section aria-labelledby="subscription" className="panel p-5 sm:p-6 flex flex-col">
      <header className="flex items-start justify-between gap-3">
        <h2 id="subscription" className="text-base font-bold">
          {plan ? <bdi>{plan.name}</bdi> : status === 'active' ? m.subscription_usage_based() : m.subscription_title()}
        </h2>
        <span className={`badge ${badge.className}`}>{badge.label()}</span>
      </header>
      {daysRemaining !== null && days !== null && endDate !== null ? (
        <div className="flex items-center gap-5 my-5">
          <Ring days={daysRemaining} of={days} isWaiting={isWaiting} />
          <dl className="text-sm grid gap-2">
            <Fact label={m.subscription_ends()}>{date(endDate)}</Fact>
            {subscription.max_devices !== null && (
              <Fact label={m.plan_devices()}>
                {m.devices_of({ used: number(subscription.devices_used), max: number(subscription.max_devices) })}
                {plan?.max_mbit ? (
                  <span className="block">{m.plan_speed_up_to({ mbit: number(plan.max_mbit) })}</span>
                ) : null}
              </Fact>
            )}
          </dl>
        </div>
      ) : (
        <p className="text-sm text-text-2 mt-3">
          {status === 'active' ? m.subscription_usage_based_text() : m.subscription_inactive_text()}
        </p>
      )}
      {plan && plan.traffic_limit !== null && (
        <Traffic label={m.plan_traffic()} used={subscription.traffic_used} limit={plan.traffic_limit} />
      )}
      {trial && (
        <div className="mt-3 grid gap-3">
          {trial.ended === null && !trial.needsActivation && (
            <Traffic label={m.trial_traffic()} used={trial.used_bytes} limit={trial.limit_bytes} />
          )}
          <p className={`text-sm font-medium ${trial.ended === null && !isWaiting ? 'text-success' : 'text-text-2'}`}>
            {trialSentence(trial)}
          </p>
        </div>
      )}
      {/* The fixed sentence of the specification, where it is so. */}
      {(!plan || plan.traffic_limit === null) && <p className="text-xs text-text-3 mt-4">{m.subscription_promise()}</p>}
      {hasButton && (
        <div className="mt-auto pt-5 grid">
          <Link to={subscription.isActive ? paths.plans : paths.activation} className="btn btn-ghost btn-sm">
            {plan ? m.plan_renew() : subscription.isActive ? m.see_plans() : m.activate_account()}
          </Link>
        </div>
      )}
    </section>
  );
}

function Fact({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <div>
      <dt className="text-text-3">{label}</dt>
      <dd className="font-bold">{children}</dd>
    </div>
  );
}

interface RingProps {
  days: number;
  of: number;
  /** Grey and dotted: nothing runs. */
  isWaiting: boolean;
}

/** The days left as a part of the whole period, which is a full turn. */
function Ring({ days, of, isWaiting }: RingProps) {
  const share = Math.max(0, Math.min(1, days / Math.max(1, of)));
  return (
    <div className="relative size-28 shrink-0 grid place-items-center">
      <svg viewBox="0 0 100 100" className="absolute inset-0 -rotate-90" aria-hidden>
        <circle cx="50" cy="50" r="44" fill="none" stroke="var(--surface-2)" strokeWidth="9" />
        <circle
          cx="50"
          cy="50"
          r="44"
          fill="none"
          stroke={isWaiting ? 'var(--line-control)' : 'var(--chart)'}
          strokeWidth={isWaiting ? 3 : 9}
          strokeLinecap="round"
          pathLength={1}
          strokeDasharray={isWaiting ? '0 .025' : `${share} 1`}
        />
      </svg>
      <p className="text-center leading-tight">
        <b className="block text-2xl font-black">{number(days)}</b>
        <span className="text-xs text-text-3">{m.days_left()}</span>
      </p>
    </div>
  );
}

function Traffic({ label, used, limit }: { label: string; used: number; limit: number }) {
  return (
    <div className="text-sm">
      <p className="flex justify-between gap-3">
        <span className="text-text-3">{label}</span>
        <span>{m.plan_traffic_of({ used: bytes(used), limit: bytes(limit) })}</span>
      </p>
      <progress
        className="block w-full h-2 mt-2 rounded-full overflow-hidden appearance-none bg-surface-2 [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-accent-fill [&::-moz-progress-bar]:bg-accent-fill"
        value={Math.min(1, used / limit)}
        max={1}
        aria-label={label}
      />
    </div>
  );
}
