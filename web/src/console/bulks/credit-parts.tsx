import type { BulkFacts } from '@raha/contract/admin/bulk.ts';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { Link } from '../link.tsx';

/** Where what waits for a second member is decided, and until when; or that nobody did. */
export function ApprovalNote({ bulk: { state, approve_by: until, approved_by: by } }: { bulk: BulkFacts }) {
  if (until === null || by !== null) return null;
  if (state !== 'proposed') return <p className="c-note">{m.console_bulk_not_approved()}</p>;
  return (
    <p className="c-note">
      {m.console_bulk_waits_for_second({ date: dateTime(until) })}{' '}
      <Link to="/admin/corrections" className="c-link">
        {m.console_bulk_decide()}
      </Link>
    </p>
  );
}

/** Of a credit: the sum, and what of it was and was not paid. */
export function CreditMoney({ bulk: { toman, people, done } }: { bulk: BulkFacts }) {
  if (toman === null) return null;
  const sums: readonly (readonly [string, number])[] = [
    [m.console_bulk_sum(), toman * people],
    [m.console_bulk_paid(), toman * done],
    [m.console_bulk_unpaid(), toman * (people - done)],
  ];
  return sums.map(([name, sum]) => (
    <div key={name}>
      <dt>{name}</dt>
      <dd>
        <strong>{number(sum)}</strong>
      </dd>
    </div>
  ));
}
