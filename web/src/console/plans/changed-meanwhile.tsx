import type { PlanVersion, StaffPlan } from '@raha/contract/admin/plans.ts';
import { m } from '../../text/generated/messages.js';
import { differing } from './draft.ts';
import { nameOf, sinceOf, stepOf, termsOf } from './words.ts';

/** What another member changed since the form was opened, and who it was. */
export function ChangedMeanwhile({ first, plan }: { first: StaffPlan; plan: StaffPlan }) {
  if (first.seen === plan.seen) return null;
  const known = new Set(first.versions.map(({ id, state }) => `${id} ${state === 'cancelled'}`));
  const fresh = plan.versions.filter(({ id, state }) => !known.has(`${id} ${state === 'cancelled'}`));
  const isNamedOtherwise = nameOf(first) !== nameOf(plan) || first.is_on !== plan.is_on;
  return (
    <div className="c-plan-conflict" role="alert">
      <p>{m.console_plan_meanwhile()}</p>
      <ul>
        {differing(first, plan).map((field) => (
          <li key={field}>{stepOf(first, plan, field)}</li>
        ))}
        {fresh.map((version) => (
          <Fresh key={version.id} version={version} />
        ))}
        {isNamedOtherwise ? <li>{m.console_plan_shown_otherwise()}</li> : null}
      </ul>
    </div>
  );
}

/** Who made or cancelled a version, and why; of one that is planned or cancelled also which. */
function Fresh({ version }: { version: PlanVersion }) {
  const { state, from, by, cancelled_by: cancelledBy, reason } = version;
  const which = { terms: termsOf(version), date: sinceOf(from) };
  const who = state === 'cancelled' ? cancelledBy : by;
  return (
    <li>
      {state === 'planned' ? `${m.console_plan_was_made(which)} ` : null}
      {state === 'cancelled' ? `${m.console_plan_was_cancelled(which)} ` : null}
      {who === null ? m.console_price_by_machine() : <bdi dir="ltr">{who}</bdi>}
      {reason ? (
        <>
          {' – '}
          <bdi>{reason}</bdi>
        </>
      ) : null}
    </li>
  );
}
