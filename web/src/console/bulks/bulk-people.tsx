import type { BulkItem } from '@raha/contract/admin/bulk.ts';
import { useState } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Failure } from '../failure.tsx';
import { Link } from '../link.tsx';
import { LongWord } from '../long-word.tsx';
import { shownName } from '../people/words.ts';
import { useAnswer } from '../use-answer.ts';
import { whyNames } from './words.ts';

const heads: Readonly<Record<BulkItem['state'], (count: { count: string }) => string>> = {
  failed: m.console_bulk_failed_head,
  done: m.console_bulk_done_head,
  open: m.console_bulk_open_head,
};

interface Props {
  readonly id: string;
  readonly state: BulkItem['state'];
  readonly seen: number;
  readonly isOver?: boolean;
}

/** The people of a bulk in one state, a page at a time; `seen`: how many there are; `isOver`: nothing is done any more. */
export function BulkPeople({ id, state, seen, isOver = false }: Props) {
  const [after, setAfter] = useState<string>();
  const answer = useAnswer(`${seen} ${after ?? ''}`, async () => {
    return (await api.listBulkPeople({ params: { id }, query: { state, ...(after ? { after } : {}) } })).data;
  });
  const { data, error, isLoading, reload } = answer;
  const name = `bulk-${state}`;
  return (
    <section aria-labelledby={name}>
      <h2 id={name} className="c-head">
        {heads[state]({ count: number(seen) })}
      </h2>
      {error ? <Failure error={error} onRetry={reload} /> : null}
      {data && data.people.length > 0 ? <ItemTable people={data.people} isOver={isOver} isOld={isLoading} /> : null}
      <div className="c-buttons c-pages">
        {after ? (
          <button type="button" className="c-button" onClick={() => setAfter(undefined)}>
            {m.console_people_first()}
          </button>
        ) : null}
        {data?.next ? (
          <button type="button" className="c-button" onClick={() => setAfter(data.next as string)}>
            {m.console_people_next()}
          </button>
        ) : null}
      </div>
    </section>
  );
}

interface TableProps {
  readonly people: readonly BulkItem[];
  readonly isOver: boolean;
  readonly isOld: boolean;
}

function ItemTable({ people, isOver, isOld }: TableProps) {
  return (
    <table className="c-table c-bulk-people" aria-busy={isOld}>
      <thead>
        <tr>
          <th scope="col">{m.console_user_name()}</th>
          <th scope="col">{m.console_email()}</th>
          <th scope="col">{m.console_bulk_outcome()}</th>
        </tr>
      </thead>
      <tbody>
        {people.map((item) => (
          <tr key={item.id}>
            <td>
              <Link to={`/admin/people/${item.id}`} className="c-link">
                {shownName(item)}
              </Link>
            </td>
            <td>
              <LongWord word={item.email} />
            </td>
            <td>{outcomeOf(item, isOver)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function outcomeOf({ why, at }: BulkItem, isOver: boolean): string {
  if (why !== null) return whyNames[why]();
  if (at !== null) return dateTime(at);
  return isOver ? m.console_bulk_not_done() : m.console_bulk_waits();
}
