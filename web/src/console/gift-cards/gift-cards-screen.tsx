import type { CardBatch } from '@raha/contract/admin/gift-cards.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { Link } from '../link.tsx';
import { StateMark } from '../mark.tsx';
import { PageButtons } from '../page-buttons.tsx';
import { goTo, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { BatchScreen } from './batch-screen.tsx';
import { CheckCode } from './check-code.tsx';
import { IssueBatch } from './issue-batch.tsx';
import { MadeBy } from './made-by.tsx';
import { Stores } from './stores.tsx';
import { dollarAmount, dollars, shownName } from './words.ts';

/** The batches of gift cards, and one of them at an address of its own. */
export function GiftCardsScreen(props: ScreenProps) {
  const id = useAddress().path.split('/')[3];
  return id === undefined ? <BatchList {...props} /> : <BatchScreen key={id} id={id} {...props} />;
}

function BatchList({ self }: ScreenProps) {
  const before = useAddress().query.get('before') ?? undefined;
  const answer = useAnswer(before ?? '', async () => {
    return (await api.listCardBatches({ query: before === undefined ? {} : { before } })).data;
  });
  const { data, isLoading } = answer;
  const [isIssuing, setIssuing] = useState(false);
  const isEmpty = data?.batches.length === 0;
  const next = data?.next;
  return (
    <>
      <Lead
        title={data ? leadOf(data.outstanding) : m.console_cards()}
        {...(isEmpty && before === undefined ? { text: m.console_cards_empty() } : {})}
      >
        {isPermitted(self.role, 'cards.manage') ? (
          <div className="c-buttons">
            <button type="button" className="c-button c-main" onClick={() => setIssuing(true)}>
              {m.console_cards_issue()}
            </button>
          </div>
        ) : null}
      </Lead>
      <CheckCode />
      <Reading of={answer} />
      {data && !isEmpty ? <BatchTable batches={data.batches} isOld={isLoading} /> : null}
      <PageButtons
        onNewest={before ? () => goTo('/admin/gift-cards') : undefined}
        onOlder={next ? () => goTo(`/admin/gift-cards?before=${next}`) : undefined}
      />
      <Stores />
      {isIssuing ? (
        <IssueBatch
          alone={data?.alone}
          onDone={({ outcome, id }) => goTo(outcome === 'done' ? `/admin/gift-cards/${id}` : '/admin/corrections')}
          onClose={() => setIssuing(false)}
        />
      ) : null}
    </>
  );
}

function leadOf({ cards, usd_cents: cents }: { readonly cards: number; readonly usd_cents: number }): string {
  if (cards === 0) return m.console_cards_lead_none();
  return m.console_cards_lead({ count: number(cards), amount: dollars(cents) });
}

function BatchTable({ batches, isOld }: { batches: readonly CardBatch[]; isOld: boolean }) {
  return (
    <table className="c-table c-batches" aria-busy={isOld}>
      <thead>
        <tr>
          <th scope="col">{m.console_batch()}</th>
          <th scope="col">{m.console_batch_by()}</th>
          <th scope="col" className="c-number">
            {m.console_batch_cards()}
          </th>
          <th scope="col" className="c-number">
            {m.console_card_redeemed()}
          </th>
          <th scope="col" className="c-number">
            {m.console_batch_outstanding()}
          </th>
          <th scope="col">{m.console_user_state()}</th>
        </tr>
      </thead>
      <tbody>
        {batches.map((batch) => (
          <tr key={batch.id} className={batch.active === 0 ? 'c-quiet' : ''}>
            <td>
              <Link to={`/admin/gift-cards/${batch.id}`} className="c-link">
                <bdi>{batch.note === '' ? shownName(batch) : batch.note}</bdi>
              </Link>
              <small>
                {batch.note === '' ? '' : `${shownName(batch)} · `}
                <time dateTime={batch.created_at}>{dateTime(batch.created_at)}</time>
              </small>
            </td>
            <td>
              <MadeBy batch={batch} />
            </td>
            <td className="c-number" data-label={m.console_batch_cards()}>
              {number(batch.cards)}
            </td>
            <td className="c-number" data-label={m.console_card_redeemed()}>
              {m.console_percent({ value: number(Math.floor((100 * batch.redeemed) / batch.cards)) })}
            </td>
            <td className="c-number" data-label={m.console_batch_outstanding()}>
              {dollarAmount(batch.outstanding_usd_cents)}
            </td>
            <td>
              <BatchState batch={batch} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What is as it should be has no mark: some can still be redeemed, and their codes are out. */
function BatchState({ batch: { active, codes } }: { batch: CardBatch }) {
  if (active === 0) return <>{m.console_batch_over()}</>;
  if (codes === 'waiting')
    return (
      <span className="c-state">
        <StateMark tone="planned" />
        {m.console_batch_waiting()}
      </span>
    );
  return <>{m.console_card_active()}</>;
}
