import type { CardBatch, CardLine } from '@raha/contract/admin/gift-cards.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { type ReactNode, useState } from 'react';
import { date, dateTime, number } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { StateMark } from '../mark.tsx';
import { goTo, useAddress } from '../path.ts';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { ExpireBatch, VoidBatch, VoidCard } from './batch-acts.tsx';
import { MadeBy } from './made-by.tsx';
import { dollars, leftOf, shownCard, stateNames } from './words.ts';

type Act = 'void' | 'expire' | CardLine;

/** One batch: what became of its cards, where their codes are, and what may still be done. */
export function BatchScreen({ id, self }: ScreenProps & { readonly id: string }) {
  const after = useAddress().query.get('after') ?? undefined;
  const answer = useAnswer(`${id} ${after ?? ''}`, async () => {
    return (await api.getCardBatch({ params: { id }, query: after === undefined ? {} : { after } })).data;
  });
  const { data, isLoading, reload } = answer;
  const [open, setOpen] = useState<Act>();
  const [outcome, setOutcome] = useState('');
  const own = `/admin/gift-cards/${id}`;
  const mayManage = isPermitted(self.role, 'cards.manage');
  const done = (sentence: string) => {
    setOpen(undefined);
    setOutcome(sentence);
    reload();
  };
  const acts = { onDone: done, onClose: () => setOpen(undefined) };
  const batch = data?.batch;
  return (
    <>
      <Lead
        title={batch ? leadOf(batch) : m.console_cards()}
        {...(batch && batch.note !== '' ? { text: batch.note } : {})}
      >
        {batch && mayManage && leftOf(batch) > 0 ? (
          <div className="c-buttons">
            <button type="button" className="c-button" onClick={() => setOpen('expire')}>
              {m.console_batch_expire()}
            </button>
            <button type="button" className="c-button" onClick={() => setOpen('void')}>
              {m.console_batch_void()}
            </button>
          </div>
        ) : null}
      </Lead>
      <Reading of={answer} outcome={outcome} />
      {batch?.codes === 'waiting' ? <Export batch={batch} /> : null}
      {batch ? <Facts batch={batch} /> : null}
      {data ? (
        <CardTable cards={data.cards} isOld={isLoading} {...(mayManage ? { onVoid: (card) => setOpen(card) } : {})} />
      ) : null}
      <div className="c-buttons c-pages">
        {after ? (
          <button type="button" className="c-button" onClick={() => goTo(own)}>
            {m.console_people_first()}
          </button>
        ) : null}
        {data?.next ? (
          <button type="button" className="c-button" onClick={() => goTo(`${own}?after=${data.next}`)}>
            {m.console_people_next()}
          </button>
        ) : null}
      </div>
      {batch && open === 'void' ? <VoidBatch batch={batch} {...acts} /> : null}
      {batch && open === 'expire' ? <ExpireBatch batch={batch} {...acts} /> : null}
      {typeof open === 'object' ? <VoidCard card={open} {...acts} /> : null}
    </>
  );
}

function leadOf({ cards, redeemed, active }: CardBatch): string {
  const counts = { cards: number(cards), redeemed: number(redeemed), active: number(active) };
  return active === 0 ? m.console_batch_lead_over(counts) : m.console_batch_lead(counts);
}

/** Codes come out once, sealed with a passphrase, on the machine and never through a browser. */
function Export({ batch }: { batch: CardBatch }) {
  return (
    <div className="c-export">
      <p>
        <span className="c-state">
          <StateMark tone="planned" />
          {m.console_batch_waiting()}
        </span>
      </p>
      <p>{m.console_batch_export()}</p>
      <code dir="ltr" className="c-token c-code">
        raha gift-cards export --batch {batch.id} --out cards.raha
      </code>
    </div>
  );
}

function Facts({ batch }: { batch: CardBatch }) {
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      m.console_batch_id(),
      <bdi key="id" dir="ltr" className="c-code">
        {batch.id}
      </bdi>,
    ],
    [m.console_batch_made(), dateTime(batch.created_at)],
    [m.console_batch_by(), <MadeBy key="by" batch={batch} />],
    [m.console_batch_value(), dollars(batch.usd_cents)],
    [
      m.console_card_active(),
      m.console_batch_left({ count: number(batch.active), amount: dollars(batch.outstanding_usd_cents) }),
    ],
    [
      m.console_card_redeemed(),
      m.console_batch_credited({ count: number(batch.redeemed), toman: number(batch.credited) }),
    ],
    [m.console_card_void(), number(batch.void)],
    [m.console_card_expired(), number(batch.expired)],
    [m.console_batch_codes(), codesOf(batch)],
  ];
  return (
    <dl className="c-facts">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function Fact({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

function codesOf({ codes, exported_at: at }: CardBatch): string {
  if (codes === 'waiting') return m.console_batch_waiting();
  return at === null ? m.console_batch_shown() : m.console_batch_exported({ date: dateTime(at) });
}

interface TableProps {
  readonly cards: readonly CardLine[];
  readonly isOld: boolean;
  /** Of those who may. */
  onVoid?(card: CardLine): void;
}

function CardTable({ cards, isOld, onVoid }: TableProps) {
  return (
    <table className="c-table c-cards" aria-busy={isOld}>
      <thead>
        <tr>
          <th scope="col">{m.console_card()}</th>
          <th scope="col">{m.console_user_state()}</th>
          <th scope="col">{m.console_card_ends()}</th>
          <th scope="col" className="c-number">
            {m.console_card_credited()}
          </th>
          {onVoid ? <th scope="col">{m.console_card_act()}</th> : null}
        </tr>
      </thead>
      <tbody>
        {cards.map((card) => (
          <tr key={card.id} className={card.state === 'active' ? '' : 'c-quiet'}>
            <td className="c-code">{shownCard(card.last4)}</td>
            <td>
              {stateNames[card.state]()}
              <When at={card.redeemed_at ?? card.voided_at} />
            </td>
            <td data-label={m.console_card_ends()}>
              {card.expires_at === null ? m.console_card_no_end() : date(card.expires_at)}
            </td>
            <td className="c-number" data-label={m.console_card_credited()}>
              {card.credited === null ? '–' : number(card.credited)}
            </td>
            {onVoid ? (
              <td>
                {card.state === 'active' || card.state === 'expired' ? (
                  <button
                    type="button"
                    className="c-link"
                    aria-label={m.console_card_void_of({ card: shownCard(card.last4) })}
                    onClick={() => onVoid(card)}
                  >
                    {m.console_card_void_do()}
                  </button>
                ) : null}
              </td>
            ) : null}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function When({ at }: { at: string | null }) {
  if (at === null) return null;
  return (
    <small>
      <time dateTime={at}>{dateTime(at)}</time>
    </small>
  );
}
