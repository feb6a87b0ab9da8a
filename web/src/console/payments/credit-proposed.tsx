import type { PaymentFacts } from '@raha/contract/admin/payments.ts';
import { isPermitted, type StaffRole } from '@raha/contract/admin/roles.ts';
import { dateTime } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { Link } from '../link.tsx';
import { StateMark } from '../mark.tsx';

interface Props {
  readonly proposal: NonNullable<PaymentFacts['credit_proposal']>;
  readonly role: StaffRole;
}

/** That crediting this payment waits for a second member: who proposed it and why, and where it is decided. */
export function CreditProposed({ proposal: { reference, reason, ...proposed }, role }: Props) {
  return (
    <section aria-labelledby="payment-proposed">
      <h2 id="payment-proposed" className="c-head">
        <span className="c-state">
          <StateMark tone="look" />
          {m.console_pay_credit_waits()}
        </span>
      </h2>
      <dl className="c-facts">
        <dt>{m.console_correction_by()}</dt>
        <dd>
          <bdi dir="ltr">{proposed.proposed_by}</bdi>
          <small>{dateTime(proposed.proposed_at)}</small>
        </dd>
        <dt>{m.console_correction_why()}</dt>
        <dd>{reason}</dd>
        <dt>{m.console_pay_bank_reference()}</dt>
        <dd>
          <bdi dir="ltr" className="c-code">
            {reference}
          </bdi>
        </dd>
        <dt>{m.console_pay_credit_until()}</dt>
        <dd>{dateTime(proposed.expires_at)}</dd>
      </dl>
      {isPermitted(role, 'wallet.adjust') ? (
        <p className="c-note">
          <Link to="/admin/corrections" className="c-link">
            {m.console_pay_credit_decide()}
          </Link>
        </p>
      ) : null}
    </section>
  );
}
