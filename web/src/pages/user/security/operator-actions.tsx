import type { OperatorAction } from '@raha/contract/public/profile.ts';
import { useQuery } from '@tanstack/react-query';
import { FailureCard } from '../../../components/failure-card.tsx';
import { dateTime } from '../../../text/format.ts';
import { m } from '../../../text/generated/messages.js';
import { operatorActionsQuery } from '../profile/profile-api.ts';

const sentences: Readonly<Record<OperatorAction['kind'], () => string>> = {
  suspended: m.operator_suspended,
  reopened: m.operator_reopened,
  factors_removed: m.operator_factors_removed,
  balance_adjusted: m.operator_balance_adjusted,
  debt_written_off: m.operator_debt_written_off,
  payment_reviewed: m.operator_payment_reviewed,
  refund_settled: m.operator_refund_settled,
  looked: m.operator_looked,
  contact_shown: m.operator_contact_shown,
  message_resent: m.operator_message_resent,
  signed_out: m.operator_signed_out,
  config_traced: m.operator_config_traced,
};

/** What support did about the account, so that nothing happens to it unseen. */
export function OperatorActions() {
  const actions = useQuery(operatorActionsQuery);
  if (actions.isError && !actions.data) {
    return (
      <FailureCard
        title={m.operator_actions_failed()}
        error={actions.error}
        busy={actions.isFetching}
        onRetry={() => void actions.refetch()}
      />
    );
  }
  return (
    <section aria-labelledby="operator-actions" className="panel p-4 sm:p-6">
      <h2 id="operator-actions" className="text-base font-bold">
        {m.operator_actions()}
      </h2>
      {!actions.data && <div role="status" aria-label={m.loading()} className="skeleton h-12 mt-4" />}
      {actions.data?.length === 0 && <p className="text-sm text-text-2 mt-2">{m.operator_actions_none()}</p>}
      {actions.data && actions.data.length > 0 && (
        <ul className="mt-2 divide-y divide-line">
          {actions.data.map(({ id, kind, created_at }) => (
            <li key={id} className="flex flex-wrap justify-between gap-x-4 gap-y-1 py-3">
              <span>{sentences[kind]()}</span>
              <time dateTime={created_at} className="text-sm text-text-3">
                {dateTime(created_at)}
              </time>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
