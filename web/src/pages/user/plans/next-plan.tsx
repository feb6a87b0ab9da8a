import type { Subscription } from '@raha/contract/public/subscriptions.ts';
import { date, number } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { Button } from '../../../ui/button.tsx';

interface NextPlanProps {
  subscription: Subscription;
  /** Starts it now; undefined while another plan runs, because that one would end, and while usage is free. */
  onStart: (() => void) | undefined;
  onCancel(): void;
}

/** A plan that is paid and has not begun. */
export function NextPlan({ subscription, onStart, onCancel }: NextPlanProps) {
  const { plan, startDate } = subscription;
  return (
    <section aria-labelledby="next-plan" className="panel p-5 sm:p-6 flex flex-wrap items-center justify-between gap-4">
      <div>
        <h2 id="next-plan" className="text-sm font-semibold text-text-3">
          {m.plan_next()}
        </h2>
        <p className="text-lg font-bold">
          <bdi>{plan.name}</bdi>
        </p>
        <p className="text-sm text-text-2">
          {m.plan_next_begins({ date: date(startDate), days: number(plan.duration) })}
        </p>
      </div>
      <div className="flex flex-wrap gap-3">
        {onStart && (
          <Button className="btn btn-primary btn-sm" onClick={onStart}>
            {m.plan_next_start()}
          </Button>
        )}
        <Button className="btn btn-ghost btn-sm" onClick={onCancel}>
          {m.plan_next_cancel()}
        </Button>
      </div>
    </section>
  );
}
