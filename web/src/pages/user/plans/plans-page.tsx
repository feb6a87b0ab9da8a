import type { Plan, Subscription } from '@raha/contract/public/subscriptions.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { plansQuery, subscriptionsQuery } from '../../../api/queries.ts';
import { ActivationBanner } from '../../../components/activation-banner.tsx';
import { FailureCard } from '../../../components/failure-card.tsx';
import { PageHeading } from '../../../components/page-heading.tsx';
import { useMe } from '../../../components/use-me.ts';
import { useTitle } from '../../../components/use-title.ts';
import { m } from '../../../text/generated/messages.js';
import { BuyDialog, type Order } from './buy-dialog.tsx';
import { CancelDialog } from './cancel-dialog.tsx';
import { CurrentPlan } from './current-plan.tsx';
import { EarlierPlans } from './earlier-plans.tsx';
import { NextPlan } from './next-plan.tsx';
import { PlanCard } from './plan-card.tsx';

type Dialog = { readonly kind: 'buy'; readonly order: Order } | { readonly kind: 'cancel'; readonly of: Subscription };

export default function PlansPage() {
  useTitle(m.plans_title());
  const me = useMe();
  return (
    <>
      <PageHeading title={m.plans_title()} text={m.plans_text()} />
      {me?.isActivated ? <Plans /> : <ActivationBanner text={m.plans_need_activation()} />}
    </>
  );
}

function Plans() {
  const plans = useQuery(plansQuery);
  const mine = useQuery({ ...subscriptionsQuery, refetchInterval: 60_000 });
  const [dialog, setDialog] = useState<Dialog>();
  const trialEndsAt = useMe()?.trialEndsAt;
  const failed = [plans, mine].find((query) => query.isError && !query.data);
  if (failed) {
    const retry = () => {
      for (const query of [plans, mine]) if (query.isError) void query.refetch();
    };
    return (
      <FailureCard
        title={failed === plans ? m.plans_failed() : m.subscription_failed()}
        error={failed.error}
        busy={failed.isFetching}
        onRetry={retry}
      />
    );
  }
  if (!plans.data || !mine.data) return <Skeleton />;
  const { activeSubscription: active, subscriptions } = mine.data;
  const next = subscriptions.find(({ status }) => status === 'scheduled');
  // A plan that waits for the end of the trial would only begin to wait again.
  const isFree = next !== undefined && next.startDate === trialEndsAt;
  const buy = (order: Order) => setDialog({ kind: 'buy', order });
  return (
    <div className="grid gap-4 sm:gap-5">
      {active && (
        <CurrentPlan
          subscription={active}
          next={next}
          onRenew={() => buy({ renewal_of: active.id })}
          onCancel={() => setDialog({ kind: 'cancel', of: active })}
        />
      )}
      {next && (
        <NextPlan
          subscription={next}
          onStart={active || isFree ? undefined : () => buy({ plan_id: next.plan.id })}
          onCancel={() => setDialog({ kind: 'cancel', of: next })}
        />
      )}
      {plans.data.length === 0 ? (
        <p className="panel p-5 sm:p-6 text-text-2">{m.no_plans()}</p>
      ) : (
        <div className="grid gap-4 sm:gap-5 md:grid-cols-2 xl:grid-cols-3">
          {plans.data.map((plan) => (
            <PlanCard
              key={plan.id}
              plan={plan}
              standing={standingOf(plan, active)}
              onBuy={() => buy({ plan_id: plan.id })}
            />
          ))}
        </div>
      )}
      <EarlierPlans subscriptions={subscriptions.filter(({ id }) => id !== active?.id && id !== next?.id)} />
      {dialog?.kind === 'buy' && <BuyDialog order={dialog.order} onClose={() => setDialog(undefined)} />}
      {dialog?.kind === 'cancel' && <CancelDialog subscription={dialog.of} onClose={() => setDialog(undefined)} />}
    </div>
  );
}

/** How a plan stands to what the user has: running, to be changed to, or simply to be bought. */
function standingOf(plan: Plan, active: Subscription | null): 'running' | 'change' | 'buy' {
  if (!active || active.status === 'used_up') return 'buy';
  return active.plan.id === plan.id ? 'running' : 'change';
}

function Skeleton() {
  return (
    <div className="grid gap-4 sm:gap-5 md:grid-cols-2 xl:grid-cols-3" role="status" aria-label={m.loading()}>
      {[0, 1, 2].map((index) => (
        <div key={index} className="skeleton h-80 !rounded-xl" />
      ))}
    </div>
  );
}
