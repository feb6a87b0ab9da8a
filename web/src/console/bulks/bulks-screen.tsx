import type { BulkLine } from '@raha/contract/admin/bulk.ts';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { PageButtons } from '../page-buttons.tsx';
import { goTo, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { BulkScreen } from './bulk-screen.tsx';
import { BulkState } from './bulk-state.tsx';
import { leftOf, titleOf } from './words.ts';

/** What was ordered for many, and one of these at an address of its own. */
export function BulksScreen(_props: ScreenProps) {
  const id = useAddress().path.split('/')[3];
  return id === undefined ? <BulkList /> : <BulkScreen key={id} id={id} />;
}

function BulkList() {
  const before = useAddress().query.get('before') ?? undefined;
  const answer = useAnswer(before ?? '', async () => {
    return (await api.listBulks({ query: before === undefined ? {} : { before } })).data;
  });
  const { data, isLoading } = answer;
  const isEmpty = data?.bulks.length === 0;
  const open = data?.bulks.filter(({ ended_at: ended }) => ended === null).length ?? 0;
  const next = data?.next;
  return (
    <>
      <Lead
        title={
          data ? (open > 0 ? m.console_bulks_lead({ count: number(open) }) : m.console_bulks_idle()) : m.console_bulks()
        }
        {...(isEmpty ? { text: m.console_bulks_empty() } : {})}
      />
      <Reading of={answer} />
      {data && !isEmpty ? <BulkTable bulks={data.bulks} isOld={isLoading} /> : null}
      <PageButtons
        onNewest={before ? () => goTo('/admin/bulks') : undefined}
        onOlder={next ? () => goTo(`/admin/bulks?before=${next}`) : undefined}
      />
    </>
  );
}

function BulkTable({ bulks, isOld }: { bulks: readonly BulkLine[]; isOld: boolean }) {
  return (
    <table className="c-table c-bulks" aria-busy={isOld}>
      <thead>
        <tr>
          <th scope="col">{m.console_bulk()}</th>
          <th scope="col">{m.console_correction_why()}</th>
          <th scope="col" className="c-number">
            {m.console_bulk_count_done()}
          </th>
          <th scope="col" className="c-number">
            {m.console_bulk_count_failed()}
          </th>
          <th scope="col" className="c-number">
            {m.console_bulk_count_left()}
          </th>
          <th scope="col">{m.console_user_state()}</th>
        </tr>
      </thead>
      <tbody>
        {bulks.map((bulk) => (
          <tr key={bulk.id} className={bulk.ended_at === null ? '' : 'c-quiet'}>
            <td>
              <Link to={`/admin/bulks/${bulk.id}`} className="c-link">
                {titleOf(bulk)}
              </Link>
              <small>
                <time dateTime={bulk.ordered_at}>{dateTime(bulk.ordered_at)}</time> · <bdi dir="ltr">{bulk.by}</bdi>
              </small>
            </td>
            <td>
              <bdi>{bulk.reason}</bdi>
            </td>
            <td className="c-number" data-label={m.console_bulk_count_done()}>
              {number(bulk.done)}
            </td>
            <td className="c-number" data-label={m.console_bulk_count_failed()}>
              {number(bulk.failed)}
            </td>
            <td className="c-number" data-label={m.console_bulk_count_left()}>
              {number(leftOf(bulk))}
            </td>
            <td>
              <BulkState bulk={bulk} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
