import type { Proposal } from '@raha/contract/admin/money.ts';
import { number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { peopleOf } from '../bulks/words.ts';
import { Link } from '../link.tsx';
import { shownName } from './words.ts';

/** Whose wallet it is about, or how many, which leads to who they are. */
export function About({ proposal: { user, bulk } }: { proposal: Proposal }) {
  if (bulk)
    return (
      <Link to={`/admin/bulks/${bulk.id}`} className="c-link">
        {peopleOf(bulk.people)}
      </Link>
    );
  if (user === null) return null;
  return (
    <>
      <Link to={`/admin/people/${user.id}`} className="c-link">
        {shownName(user)}
      </Link>
      <small>
        <bdi dir="ltr">{user.email}</bdi>
      </small>
    </>
  );
}

/** Of a credit the payment, where the bank's evidence stands, and the reference that was found; of many, how much each gets. */
export function Kind({ proposal: { kind, payment, reference, bulk } }: { proposal: Proposal }) {
  if (kind === 'debt') return <small>{m.console_correction_debt()}</small>;
  if (bulk) return <small>{m.console_bulk_for_each({ amount: number(bulk.each) })}</small>;
  if (kind !== 'credit' || payment === null) return null;
  return (
    <small>
      <Link to={`/admin/payments/${payment}`} className="c-link">
        {m.console_correction_credit()}
      </Link>{' '}
      <bdi dir="ltr">{reference}</bdi>
    </small>
  );
}
