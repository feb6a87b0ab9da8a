import type { StaffPlan } from '@raha/contract/admin/plans.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import type { Second } from '../approvals/second.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { StateMark } from '../mark.tsx';
import { goTo, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { type Answered, useAnswer } from '../use-answer.ts';
import { Labelled, type PlanFigures, sumOf, usePlanFigures } from './figures.tsx';
import { MakePlan } from './make-plan.tsx';
import { PlanScreen } from './plan-screen.tsx';
import { givesOf, nameOf } from './words.ts';

/** All plans, and one of them at an address of its own. */
export function PlansScreen(props: ScreenProps) {
  const id = useAddress().path.split('/')[3];
  const read = useAnswer('plans', async () => (await api.listStaffPlans()).data);
  const answer = { ...read, data: read.data?.plans };
  const second = read.data?.second ?? null;
  const figures = usePlanFigures();
  if (id !== undefined)
    return <PlanScreen key={id} id={id} answer={answer} figures={figures} second={second} {...props} />;
  return <PlanList answer={answer} figures={figures} second={second} {...props} />;
}

interface ListProps extends ScreenProps {
  readonly answer: Answered<StaffPlan[]>;
  readonly figures: Answered<PlanFigures>;
  readonly second: Second;
}

function PlanList({ answer, figures, second, self }: ListProps) {
  const { data, isLoading, reload } = answer;
  const [isMaking, setMaking] = useState(false);
  const mayChange = isPermitted(self.role, 'prices.propose');
  return (
    <>
      <Lead title={data ? leadOf(data) : m.console_plans()}>
        {data && mayChange ? (
          <div className="c-buttons">
            <button type="button" className="c-button c-main" onClick={() => setMaking(true)}>
              {m.console_plan_make()}
            </button>
          </div>
        ) : null}
      </Lead>
      <Reading of={answer} />
      {data?.length === 0 ? <p className="c-note">{m.console_plans_none()}</p> : null}
      {data && data.length > 0 ? (
        <table className="c-table c-plans" aria-busy={isLoading}>
          <thead>
            <tr>
              <th scope="col">{m.console_plan()}</th>
              <th scope="col" className="c-number">
                {m.console_plan_price()}
              </th>
              <th scope="col">{m.console_plan_gives_column()}</th>
              <th scope="col" className="c-number">
                {m.console_plan_count_running()}
              </th>
              <th scope="col" className="c-number">
                {m.console_plan_brought()}
              </th>
              <th scope="col">{m.console_user_state()}</th>
            </tr>
          </thead>
          <tbody>
            {data.map((plan) => (
              <Row key={plan.id} plan={plan} figures={figures.data} />
            ))}
          </tbody>
        </table>
      ) : null}
      {isMaking ? (
        <MakePlan
          second={second}
          onDone={(id) => {
            setMaking(false);
            reload();
            goTo(id === undefined ? '/admin/corrections' : `/admin/plans/${id}`);
          }}
          onClose={() => setMaking(false)}
        />
      ) : null}
    </>
  );
}

function leadOf(plans: readonly StaffPlan[]): string {
  const sold = plans.filter(({ is_on: isOn }) => isOn).length;
  if (sold === 0) return m.console_plans_none_sold();
  return sold === 1 ? m.console_plans_one_sold() : m.console_plans_sold({ count: number(sold) });
}

function Row({ plan, figures }: { plan: StaffPlan; figures: PlanFigures | undefined }) {
  const counts = figures && sumOf(figures.lines.filter((line) => line.plan === plan.id));
  const planned = plan.versions.find(({ state }) => state === 'planned');
  return (
    <tr className={plan.is_on ? '' : 'c-quiet'}>
      <td>
        <Link to={`/admin/plans/${plan.id}`} className="c-link">
          {nameOf(plan)}
        </Link>
      </td>
      <td className="c-number">
        {plan.original_price === null ? null : <s>{number(plan.original_price)}</s>} {number(plan.price)}
      </td>
      <td>{givesOf(plan)}</td>
      <td className="c-number">
        <Labelled label={m.console_plan_count_running()}>{counts ? number(counts.running) : '–'}</Labelled>
      </td>
      <td className="c-number">
        <Labelled label={m.console_plan_brought()}>{counts ? number(counts.toman) : '–'}</Labelled>
      </td>
      <td>
        {plan.is_on ? m.console_plan_sold() : m.console_plan_not_sold()}
        {planned?.from ? (
          <small>
            <span className="c-state">
              <StateMark tone="planned" />
              {m.console_plan_changes_on({ date: dateTime(planned.from) })}
            </span>
          </small>
        ) : null}
      </td>
    </tr>
  );
}
