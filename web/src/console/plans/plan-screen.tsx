import type { PlanVersion, StaffPlan } from '@raha/contract/admin/plans.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import type { Second } from '../approvals/second.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { LongWord } from '../long-word.tsx';
import { StateMark } from '../mark.tsx';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import type { Answered } from '../use-answer.ts';
import { ChangeShowing } from './change-showing.tsx';
import { ChangeTerms } from './change-terms.tsx';
import { type PlanFigures, PlanFigureTable } from './figures.tsx';
import { givesOf, managers, nameOf, sinceOf, termsOf } from './words.ts';

interface Props extends ScreenProps {
  readonly id: string;
  readonly answer: Answered<StaffPlan[]>;
  readonly figures: Answered<PlanFigures>;
  readonly second: Second;
}

/** One plan: what it costs and gives, how it is shown, what is planned, everything before, and what each of it was sold. */
export function PlanScreen({ id, answer, figures, second, self }: Props) {
  const { data, isLoading, reload } = answer;
  const plan = data?.find((known) => known.id === id);
  const [open, setOpen] = useState<'terms' | 'showing' | PlanVersion>();
  const [outcome, setOutcome] = useState('');
  const mayChange = isPermitted(self.role, 'prices.manage');
  const mayPropose = isPermitted(self.role, 'prices.propose');
  const close = () => setOpen(undefined);
  const done = (sentence: string) => {
    close();
    setOutcome(sentence);
    reload();
  };
  const acts = { onDone: done, onChangedMeanwhile: reload, onClose: close };
  return (
    <>
      <Lead
        title={plan ? m.console_plan_lead({ plan: nameOf(plan), terms: termsOf(plan) }) : m.console_plan()}
        {...(plan && !mayPropose ? { text: m.console_plan_no_right({ roles: managers() }) } : {})}
      >
        {plan && mayPropose ? (
          <div className="c-buttons">
            {mayChange ? (
              <button type="button" className="c-button" onClick={() => setOpen('showing')}>
                {m.console_plan_show()}
              </button>
            ) : null}
            <button type="button" className="c-button c-main" onClick={() => setOpen('terms')}>
              {m.console_plan_change()}
            </button>
          </div>
        ) : null}
      </Lead>
      <Reading of={answer} outcome={outcome} />
      {data && !plan && !isLoading ? <p className="c-note">{m.console_plan_unknown()}</p> : null}
      {plan ? <Facts plan={plan} /> : null}
      {plan ? (
        <Versions plan={plan} isOld={isLoading} {...(mayChange ? { onCancel: (version) => setOpen(version) } : {})} />
      ) : null}
      {plan ? <PlanFigureTable id={id} answer={figures} /> : null}
      <p className="c-note">
        <Link to="/admin/plans" className="c-link">
          {m.console_plans()}
        </Link>
      </p>
      {plan && open === 'terms' ? <ChangeTerms plan={plan} second={second} {...acts} /> : null}
      {plan && open === 'showing' ? <ChangeShowing plan={plan} {...acts} /> : null}
      {typeof open === 'object' ? (
        <ActDialog
          title={m.console_price_cancel()}
          effect={m.console_plan_cancel_effect({ terms: termsOf(open), date: sinceOf(open.from) })}
          button={m.console_price_cancel()}
          act={(reason) => api.cancelPlanVersion({ params: { id: open.id }, body: { reason } })}
          onDone={() => done(m.console_price_cancelled_outcome())}
          onClose={close}
        />
      ) : null}
    </>
  );
}

function Facts({ plan }: { plan: StaffPlan }) {
  return (
    <dl className="c-facts">
      <dt>{m.console_user_state()}</dt>
      <dd>
        {plan.is_on ? m.console_plan_sold() : m.console_plan_not_sold()}
        {plan.is_popular ? <small>{m.console_plan_popular()}</small> : null}
      </dd>
      <dt>{m.console_plan_names()}</dt>
      <dd>
        <bdi>{plan.name_fa}</bdi> / <bdi>{plan.name_en}</bdi>
      </dd>
      <dt>{m.console_plan_position()}</dt>
      <dd>{number(plan.position)}</dd>
      <dt>{m.console_plan_id()}</dt>
      <dd>
        <bdi dir="ltr" className="c-code">
          {plan.id}
        </bdi>
      </dd>
    </dl>
  );
}

interface VersionsProps {
  readonly plan: StaffPlan;
  readonly isOld: boolean;
  /** Of those who may. */
  onCancel?(version: PlanVersion): void;
}

function Versions({ plan: { versions }, isOld, onCancel }: VersionsProps) {
  return (
    <section aria-labelledby="plan-versions">
      <h2 id="plan-versions" className="c-head">
        {m.console_plan_versions()}
      </h2>
      <table className="c-table c-plan-versions" aria-busy={isOld}>
        <thead>
          <tr>
            <th scope="col">{m.console_price_from()}</th>
            <th scope="col" className="c-number">
              {m.console_plan_price()}
            </th>
            <th scope="col">{m.console_plan_gives_column()}</th>
            <th scope="col">{m.console_correction_why()}</th>
            <th scope="col">{m.console_price_by()}</th>
            <th scope="col">{m.console_user_state()}</th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version) => (
            <tr key={version.id} className={version.state === 'over' || version.state === 'cancelled' ? 'c-quiet' : ''}>
              <td>{sinceOf(version.from)}</td>
              <td className="c-number" data-label={m.console_plan_price()}>
                {version.original_price === null ? null : <s>{number(version.original_price)}</s>}{' '}
                {number(version.price)}
              </td>
              <td>{givesOf(version)}</td>
              <td className={version.reason ? '' : 'c-empty'}>{version.reason ?? '–'}</td>
              <td className={version.by === null && version.from === null ? 'c-empty' : ''}>
                <By version={version} />
              </td>
              <td>
                <State version={version} />
                {version.state === 'planned' && onCancel ? (
                  <div className="c-buttons">
                    <button type="button" className="c-link" onClick={() => onCancel(version)}>
                      {m.console_price_cancel()}
                    </button>
                  </div>
                ) : null}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function By({ version: { by, from } }: { version: PlanVersion }) {
  if (by !== null) return <LongWord word={by} />;
  return <>{from === null ? '–' : m.console_price_by_machine()}</>;
}

function State({ version: { state, cancelled_by: cancelledBy } }: { version: PlanVersion }) {
  if (state === 'planned')
    return (
      <span className="c-state">
        <StateMark tone="planned" />
        {m.console_price_planned()}
      </span>
    );
  if (state === 'cancelled')
    return (
      <>
        {m.console_price_cancelled()}
        <small>{cancelledBy === null ? m.console_price_by_machine() : <LongWord word={cancelledBy} />}</small>
      </>
    );
  return <>{state === 'in_force' ? m.console_price_in_force() : m.console_price_over()}</>;
}
