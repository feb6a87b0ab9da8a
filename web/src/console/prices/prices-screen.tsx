import type { Prices, PriceVersion } from '@raha/contract/admin/prices.ts';
import { isPermitted } from '@raha/contract/admin/roles.ts';
import { useState } from 'react';
import { dateTime } from '../../text/format.ts';
import { m } from '../../text/generated/messages.js';
import { ActDialog } from '../act-dialog.tsx';
import { api } from '../api.ts';
import { Lead } from '../lead.tsx';
import { LongWord } from '../long-word.tsx';
import { StateMark } from '../mark.tsx';
import { Reading } from '../reading.tsx';
import type { ScreenProps } from '../screen-props.ts';
import { useAnswer } from '../use-answer.ts';
import { ChangePrice } from './change-price.tsx';
import { priceOf } from './words.ts';

/** What a gigabyte costs, what it will cost, and every price before. */
export function PricesScreen({ self }: ScreenProps) {
  const answer = useAnswer('prices', async () => (await api.listPrices()).data);
  const { data, reload } = answer;
  const [open, setOpen] = useState<'change' | PriceVersion>();
  const [outcome, setOutcome] = useState('');
  const mayChange = isPermitted(self.role, 'prices.manage');
  const close = () => setOpen(undefined);
  const done = (sentence: string) => {
    close();
    setOutcome(sentence);
    reload();
  };
  return (
    <>
      <Lead title={data ? m.console_price_lead({ price: priceOf(data, data.rate) }) : m.console_prices()}>
        {data && isPermitted(self.role, 'prices.propose') ? (
          <div className="c-buttons">
            <button type="button" className="c-button c-main" onClick={() => setOpen('change')}>
              {m.console_price_change()}
            </button>
          </div>
        ) : null}
      </Lead>
      <Reading of={answer} outcome={outcome} />
      {data ? <Versions prices={data} {...(mayChange ? { onCancel: (version) => setOpen(version) } : {})} /> : null}
      {data && open === 'change' ? <ChangePrice prices={data} onDone={done} onClose={close} /> : null}
      {open !== undefined && open !== 'change' ? (
        <ActDialog
          title={m.console_price_cancel()}
          effect={m.console_price_cancel_effect({ price: priceOf(open), date: dateTime(open.from) })}
          button={m.console_price_cancel()}
          act={(reason) => api.cancelPrice({ params: { id: open.id }, body: { reason } })}
          onDone={() => done(m.console_price_cancelled_outcome())}
          onClose={close}
        />
      ) : null}
    </>
  );
}

interface VersionsProps {
  readonly prices: Prices;
  /** Of those who may. */
  onCancel?(version: PriceVersion): void;
}

function Versions({ prices: { versions }, onCancel }: VersionsProps) {
  if (versions.length === 0) return <p className="c-note">{m.console_prices_none()}</p>;
  return (
    <table className="c-table c-prices">
      <thead>
        <tr>
          <th scope="col">{m.console_price_from()}</th>
          <th scope="col" className="c-number">
            {m.console_price_column()}
          </th>
          <th scope="col">{m.console_correction_why()}</th>
          <th scope="col">{m.console_price_by()}</th>
          <th scope="col">{m.console_user_state()}</th>
        </tr>
      </thead>
      <tbody>
        {versions.map((version) => (
          <tr key={version.id} className={version.state === 'over' || version.state === 'cancelled' ? 'c-quiet' : ''}>
            <td>
              <time dateTime={version.from}>{dateTime(version.from)}</time>
            </td>
            <td className="c-number">{priceOf(version)}</td>
            <td>{version.reason ?? '–'}</td>
            <td>{version.by === null ? m.console_price_by_machine() : <LongWord word={version.by} />}</td>
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
  );
}

function State({ version: { state, cancelled_by: cancelledBy } }: { version: PriceVersion }) {
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
