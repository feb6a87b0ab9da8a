import type { Plan } from '@raha/contract/public/subscriptions.ts';
import { Check, CircleCheck } from 'lucide-react';
import { number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';

interface PlanCardProps {
  plan: Plan;
  standing: 'running' | 'change' | 'buy';
  onBuy(): void;
}

export function PlanCard({ plan, standing, onBuy }: PlanCardProps) {
  const isMarked = plan.isPopular && standing !== 'running';
  return (
    <section
      className={`panel p-5 sm:p-6 flex flex-col ${isMarked ? 'ring-2 ring-accent ring-inset' : ''}`}
      aria-labelledby={`plan-${plan.id}`}
    >
      <div className="flex items-center justify-between gap-3 min-h-7">
        <h2 id={`plan-${plan.id}`} className="text-lg font-bold">
          <bdi>{plan.name}</bdi>
        </h2>
        {isMarked && <span className="badge bg-accent-soft text-accent">{m.plan_popular()}</span>}
      </div>
      <p className="mt-3">
        {plan.originalPrice !== null && (
          <s className="block text-sm text-text-3">{m.toman({ amount: number(plan.originalPrice) })}</s>
        )}
        <span className="text-2xl font-black">{number(plan.price)}</span>{' '}
        <span className="font-semibold text-text-3">{m.toman_unit()}</span>{' '}
        <span className="text-sm text-text-3">{m.plan_days({ days: number(plan.duration) })}</span>
      </p>
      <ul className="grid gap-2 my-5 text-sm text-text-2">
        {plan.features.map((feature) => (
          <li key={feature} className="flex items-start gap-2.5">
            <CircleCheck className="size-4 mt-1.5 shrink-0 text-success" aria-hidden />
            {feature}
          </li>
        ))}
      </ul>
      {standing === 'running' ? (
        <p className="mt-auto flex items-center justify-center gap-2 min-h-12 rounded-md bg-success-soft font-bold text-success">
          <Check className="size-5" aria-hidden />
          {m.plan_running_here()}
        </p>
      ) : (
        <Button className="btn btn-ghost mt-auto w-full" onClick={onBuy}>
          {standing === 'change' ? m.plan_switch() : m.plan_buy()}
        </Button>
      )}
    </section>
  );
}
